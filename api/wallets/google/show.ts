// Brings passes to Google as they are now: the class of the template first, then the object. The api does it before a holder is sent
// to Google, the dispatcher whenever a pass changed that is in a wallet.
import type { Clock } from '../../../shared/clock.ts'
import type { Sql } from '../../database/pool.ts'
import { PASS_PAGE_PATH, passBySerial } from '../../resources/passes/index.ts'
import { later, type PushOutcome } from '../pushes.ts'
import type { GoogleIssuer } from './account.ts'
import { passClass } from './pass-class.ts'
import { passObject } from './pass-object.ts'
import { findClass, forgetClass, saveClassVersion } from './store.ts'
import type { WalletApi } from './wallet-api.ts'

/** What changes again and again while it is brought there is left to its next push. */
const TRIES_MAX = 3
const NO_CLASS = 'classNotFound'

export interface ShowWorld {
  sql: Sql
  clock: Clock
  issuer: Pick<GoogleIssuer, 'issuerId'>
  api: Pick<WalletApi, 'put'>
  /** Where holders, Google's callbacks and whoever fetches images reach us. */
  publicUrl: string
}

export interface GoogleShow {
  /** Makes Google show the pass as it is. Gone: there is no such pass. Rejects only where the database does. */
  show(passId: string): Promise<PushOutcome>
}

export function openShow(world: ShowWorld): GoogleShow {
  const classes = new Map<string, Promise<PushOutcome>>()
  /** However many passes of a template are shown at once, its class is brought there once. */
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

/** Whether it changed meanwhile: then what was brought may have come behind what another brought. */
async function movedOn(sql: Sql, { id, version }: ShownPass): Promise<boolean> {
  return (await passBySerial(sql, id))?.version !== version
}

/** The template's latest version, unless it is there. */
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
