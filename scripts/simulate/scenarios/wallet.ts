// A pass on a telephone: put into Apple's wallet, changed, announced by push, fetched and taken out, all over Apple's protocols.
import { type Document, valueAt } from '../api.ts'
import type { ServiceStory } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { Device } from '../wallet/device.ts'
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
const TOLD = ['pass.removed', 'pass.updated', 'pass.installed', 'pass.created']

export const WALLET: readonly ServiceStory[] = [
  {
    name: 'wallet',
    story:
      'A pass is installed on a telephone, changed, pushed, fetched and removed; each is told of.',
    async play(stage) {
      const { apple_push: push } = stage.surroundings.sandbox
      if (!push) return stage.note('the service has no push service of the sandbox')
      const line = openPushLine(push.url, push.authority)
      try {
        await live(stage, line)
      } finally {
        line.close()
      }
    },
  },
]

async function live(stage: Stage, line: PushLine): Promise<void> {
  const template = await made(stage, '/v1/pass_templates', TEMPLATE)
  stage.afterwards(async () => {
    await stage.api.call('POST', '/v1/pass_templates/' + template + '/archive', {})
  })
  const pass = await made(stage, '/v1/passes', { template_id: template, values: { points: '7' } })
  const pushToken = await line.newToken()
  const device = new Device({ pushToken, serviceUrl: null })
  stage.check('registration', 201, await device.install(await download(stage, pass)))
  await shows(stage, pass, { status: 'installed', platform: 'apple' })
  stage.check('listed at first', [pass], await device.update())

  const change = { values: { points: '8' } }
  const changed = await stage.api.call('PATCH', '/v1/passes/' + pass, change)
  stage.check('changed', { status: 200 }, changed)
  stage.check('pushes', 1, await line.hear(pushToken))
  stage.check('listed then', [pass], await device.update())
  stage.check('on the telephone', '8', firstValue(device.pass(pass)))

  stage.check('unregistration', 200, await device.remove(pass))
  await shows(stage, pass, { status: 'removed' })
  const events = await stage.api.events(pass)
  stage.check(
    'events',
    TOLD,
    events.map(({ type }) => type),
  )
}

/** The id of what was made. */
async function made(stage: Stage, path: string, body: Document): Promise<string> {
  const answer = await stage.api.call('POST', path, body)
  stage.check(path, { status: 201 }, answer)
  return String(answer.document?.['id'])
}

async function shows(stage: Stage, pass: string, expected: Document): Promise<void> {
  const { document } = await stage.api.call('GET', '/v1/passes/' + pass)
  stage.check('pass', expected, document)
}

/** As the holder's telephone gets it: by its link. */
async function download(stage: Stage, pass: string): Promise<Buffer> {
  const { api_url } = stage.surroundings.sandbox
  const response = await fetch(api_url + '/wallets/apple/passes/' + pass)
  stage.check('download', 200, response.status)
  return Buffer.from(await response.arrayBuffer())
}

function firstValue(said: unknown): unknown {
  const fields = valueAt(said, 'storeCard', 'primaryFields')
  return Array.isArray(fields) ? valueAt(fields[0], 'value') : undefined
}
