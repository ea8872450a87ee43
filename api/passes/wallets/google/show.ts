// Uploads passes to Google in their present state: the class of the template first, then the
// object. The api does it before it redirects a holder to Google, the dispatcher after each change
// of a pass in a wallet.
import type { Clock } from '../../../../shared/clock.ts'
import type { Sql } from '../../../database/pool.ts'
import { PASS_PAGE_PATH, passBySerial } from '../../passes/index.ts'
import { later, type PushOutcome } from '../pushes.ts'
import type { GoogleIssuer } from './account.ts'
import { passClass } from './pass-class.ts'
import { passObject } from './pass-object.ts'
import { findClass, forgetClass, saveClassVersion } from './store.ts'
import type { WalletApi } from './wallet-api.ts'

/** A pass that keeps changing during the upload is left to its next push. */
const TRIES_MAX = 3
const NO_CLASS = 'classNotFound'

export interface ShowWorld {
  sql: Sql
  clock: Clock
  issuer: Pick<GoogleIssuer, 'issuerId'>
  api: Pick<WalletApi, 'put'>
  /** Public address for holders, Google's callbacks and fetches of images. */
  publicUrl: string
}

export interface GoogleShow {
  /**
   * Makes Google show the pass as it is. Gone: the pass does not exist. Rejects only if the
   * database does.
   */
  show(passId: string): Promise<PushOutcome>
}

export function openShow(world: ShowWorld): GoogleShow {
  const classes = new Map<string, Promise<PushOutcome>>()
  /** A template's class is uploaded once for any number of simultaneous passes. */
  const showClass = (templateId: string): Promise<PushOutcome> => {
    const known = classes.get(templateId)
    if (known !== undefined) return known
    const bringing = bringClass(world, templateId).finally(() => classes.delete(templateId))
    classes.set(templateId, bringing)
    return bringing
  }
  return {
    async show(passId) {
      let outcome: PushOutcome = later('changing')
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const pass = await passBySerial(world.sql, passId)
        if (pass === null) return { kind: 'gone' }
        const ready = await showClass(pass.templateId)
        if (ready.kind !== 'taken') return ready
        outcome = await bringObject(world, pass)
        if (outcome.kind === 'refused' && outcome.reason === NO_CLASS)
          await forgetClass(world.sql, pass.templateId)
        else if (outcome.kind !== 'taken' || !(await movedOn(world.sql, pass))) return outcome
      }
      return outcome
    },
  }
}

type ShownPass = NonNullable<Awaited<ReturnType<typeof passBySerial>>>

function bringObject({ api, issuer, clock, publicUrl }: ShowWorld, pass: ShownPass) {
  const shown = {
    content: pass.content,
    pass,
    now: clock.nowMs() + pass.clockOffsetMs,
    imageUrl: (imageId: string) => publicUrl + PASS_PAGE_PATH + 'images/' + imageId + '/3.png',
  }
  return api.put('genericObject', passObject(shown, issuer), pass.status !== 'active')
}

/**
 * Returns whether the pass changed meanwhile: then this upload may have overwritten a newer one.
 */
async function movedOn(sql: Sql, { id, version }: ShownPass): Promise<boolean> {
  return (await passBySerial(sql, id))?.version !== version
}

/** Uploads the template's latest version, unless Google has it. */
async function bringClass(
  { sql, api, issuer, publicUrl }: ShowWorld,
  templateId: string,
): Promise<PushOutcome> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const row = await findClass(sql, templateId)
    if (row === null) return { kind: 'gone' }
    if (row.shown >= row.version) return { kind: 'taken' }
    const content = passClass(row.content, { templateId, publicUrl }, issuer)
    const outcome = await api.put('genericClass', content, row.shown > 0)
    if (outcome.kind !== 'taken') return outcome
    await saveClassVersion(sql, templateId, row.version)
  }
  return later('changing')
}
