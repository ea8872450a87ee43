// A pass in wallets: put into Apple's, changed, announced by push, fetched and taken out; saved in
// Google's, changed and deleted; and in both at once. All over the wallets' own protocols.
import { randomBytes } from 'node:crypto'
import { sleep } from '../../../shared/clock.ts'
import { PAGE_PATIENCE, repeatBusy } from '../../repeat-busy.ts'
import { type Document, valueAt } from '../api.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import type { Tenant } from '../tenant.ts'
import { Device } from '../wallet/device.ts'
import { GoogleHolder } from '../wallet/google-holder.ts'
import { openPushLine, type PushLine } from '../wallet/push-peer.ts'

const TEMPLATE = {
  name: 'Simulated members',
  style: 'store_card',
  organization_name: 'Shop',
  description: 'Membership card of Shop',
  fields: {
    primary: [{ key: 'points', label: 'Points', value: '{{points}}', change_message: 'Now %@' }],
  },
  barcode: { format: 'qr' },
}
/** Newest first. */
const TOLD = ['pass.removed', 'pass.updated', 'pass.installed', 'pass.created']
const TOLD_OF_BOTH = ['pass.revoked', 'pass.installed', 'pass.created']
/** Google's callbacks and the webhooks arrive a moment later. */
const TOLD_MS_MAX = 60_000
const LOOK_AGAIN_MS = 50

export const WALLET: readonly Scenario[] = [
  {
    name: 'wallet',
    story:
      'A pass is installed on a telephone, changed, pushed, fetched and removed; one is saved in Google’s wallet, changed and deleted; one is in both. Of each the tenant’s endpoint is told.',
    async play(stage) {
      const { apple_push: push, google_wallet: google } = stage.surroundings.sandbox
      if (!push || !google) return stage.note('the service has no wallets of the sandbox')
      const tenant = await stage.tenant()
      const template = await made(stage, '/v1/pass_templates', TEMPLATE)
      stage.afterwards(async () => {
        await stage.api.call('POST', '/v1/pass_templates/' + template + '/archive', {})
      })
      const { url, issuer_id: issuerId } = google
      const name = 'h' + randomBytes(8).toString('hex')
      const holder = new GoogleHolder({ url, issuerId, name })
      const line = openPushLine(push.url, push.authority)
      try {
        const told = [
          { pass: await issued(stage, template), play: inApple, events: TOLD },
          { pass: await issued(stage, template), play: inGoogle, events: TOLD },
          { pass: await issued(stage, template), play: inBoth, events: TOLD_OF_BOTH },
        ]
        for (const { pass, play, events } of told) {
          await play(stage, pass, { line, holder })
          await tells(stage, tenant, pass, events)
        }
      } finally {
        line.close()
      }
    },
  },
]

interface Wallets {
  line: PushLine
  holder: GoogleHolder
}

function issued(stage: Stage, template: string): Promise<string> {
  return made(stage, '/v1/passes', { template_id: template, values: { points: '7' } })
}

async function inApple(stage: Stage, pass: string, { line }: Wallets): Promise<void> {
  const pushToken = await line.newToken()
  const device = new Device({ pushToken, serviceUrl: null })
  stage.check('registration', 201, await device.install(await download(stage, pass)))
  await shows(stage, pass, { status: 'installed', platform: 'apple' })
  stage.check('listed at first', [pass], await device.update())

  await change(stage, pass)
  stage.check('pushes', 1, await line.hear(pushToken))
  stage.check('listed then', [pass], await device.update())
  stage.check('on the telephone', '8', firstValue(device.pass(pass)))

  stage.check('unregistration', 200, await device.remove(pass))
  await shows(stage, pass, { status: 'removed' })
}

async function inGoogle(stage: Stage, pass: string, { holder }: Wallets): Promise<void> {
  stage.check('save', 200, await holder.save(googleLink(stage, pass)))
  await becomes(stage, pass, { status: 'installed', platform: 'google' })

  await change(stage, pass)
  const shown = await holder.look(pass, (object) => title(object) === '8')
  stage.check(
    'in Google’s wallet',
    { state: 'ACTIVE', title: '8' },
    { ...shown, title: title(shown) },
  )

  stage.check('deletion', 200, await holder.delete(pass))
  await becomes(stage, pass, { status: 'removed', platform: 'google' })
}

/** Installed once, by whichever wallet is first; removed by the last. */
async function inBoth(stage: Stage, pass: string, { line, holder }: Wallets): Promise<void> {
  const device = new Device({ pushToken: await line.newToken(), serviceUrl: null })
  stage.check('save', 200, await holder.save(googleLink(stage, pass)))
  await becomes(stage, pass, { status: 'installed', platform: 'google' })
  stage.check('registration', 201, await device.install(await download(stage, pass)))
  await shows(stage, pass, { status: 'installed', platform: 'google' })
  stage.check('unregistration', 200, await device.remove(pass))
  await shows(stage, pass, { status: 'installed', platform: 'google' })
  await stage.api.call('POST', '/v1/passes/' + pass + '/revoke', { reason: 'simulated' })
  const over = await holder.look(pass, (object) => object['state'] === 'INACTIVE')
  stage.check('revoked', { state: 'INACTIVE' }, over)
  stage.check('saved anew', 404, await holder.save(googleLink(stage, pass)))
}

async function change(stage: Stage, pass: string): Promise<void> {
  const changed = await stage.api.call('PATCH', '/v1/passes/' + pass, { values: { points: '8' } })
  stage.check('changed', { status: 200 }, changed)
}

/** Returns the id of the new resource. */
async function made(stage: Stage, path: string, body: Document): Promise<string> {
  const answer = await stage.api.call('POST', path, body)
  stage.check(path, { status: 201 }, answer)
  return String(answer.document?.['id'])
}

async function shows(stage: Stage, pass: string, expected: Document): Promise<void> {
  const { document } = await stage.api.call('GET', '/v1/passes/' + pass)
  stage.check('pass', expected, document)
}

/** Shows it soon. */
async function becomes(stage: Stage, pass: string, expected: Document): Promise<void> {
  for (let waitedMs = 0; waitedMs < TOLD_MS_MAX; waitedMs += LOOK_AGAIN_MS) {
    const { document } = await stage.api.call('GET', '/v1/passes/' + pass)
    if (document?.['status'] === expected['status']) break
    await sleep(LOOK_AGAIN_MS)
  }
  await shows(stage, pass, expected)
}

/** As events of the API, and as webhooks: each once, in whatever order they came. */
async function tells(
  stage: Stage,
  tenant: Tenant,
  pass: string,
  expected: readonly string[],
): Promise<void> {
  const events = await stage.api.events(pass)
  stage.check(
    'events',
    expected,
    events.map(({ type }) => type),
  )
  for (let waitedMs = 0; waitedMs < TOLD_MS_MAX; waitedMs += LOOK_AGAIN_MS) {
    if (tenant.toldOf(pass).length >= expected.length) break
    await sleep(LOOK_AGAIN_MS)
  }
  stage.check('webhooks', [...expected].sort(), [...tenant.toldOf(pass)].sort())
}

/** As the holder's telephone gets it: by its link. */
async function download(stage: Stage, pass: string): Promise<Buffer> {
  const { api_url } = stage.surroundings.sandbox
  const url = api_url + '/wallets/apple/passes/' + pass
  const response = await repeatBusy(() => fetch(url), PAGE_PATIENCE)
  stage.check('download', 200, response.status)
  return Buffer.from(await response.arrayBuffer())
}

function googleLink(stage: Stage, pass: string): string {
  return stage.surroundings.sandbox.api_url + '/wallets/google/passes/' + pass
}

function firstValue(said: unknown): unknown {
  const fields = valueAt(said, 'storeCard', 'primaryFields')
  return Array.isArray(fields) ? valueAt(fields[0], 'value') : undefined
}

function title(object: unknown): unknown {
  return valueAt(object, 'header', 'defaultValue', 'value')
}
