// Causes of the events of passes and templates: calls, a telephone with Apple's wallet, a scanner.

import { PAGE_PATIENCE, repeatBusy } from '../../../scripts/repeat-busy.ts'
import { done } from '../../../scripts/simulate/own-tenant.ts'
import { posted } from '../../../scripts/simulate/payments/payer.ts'
import { Device } from '../../../scripts/simulate/wallet/device.ts'
import { openPushLine } from '../../../scripts/simulate/wallet/push-peer.ts'
import { TEMPLATE } from '../passes.ts'
import type { EventWorld } from './event-table.ts'

export async function playPasses({ stage, table }: EventWorld): Promise<void> {
  const { sandbox } = stage.surroundings
  const post = async (path: string, body: object = {}): Promise<string> =>
    String((await posted(stage, '/v1/' + path, { ...body }))['id'])
  const patch = async (path: string, body: object): Promise<string> =>
    String(done(await stage.api.call('PATCH', '/v1/' + path, { ...body }))['id'])

  const template = await table.caused(['pass_template.created'], 'POST pass_templates', () =>
    post('pass_templates', TEMPLATE),
  )
  const values = { values: { points: '7' } }
  const pass = await table.caused(['pass.created'], 'POST passes', () =>
    post('passes', { template_id: template, ...values }),
  )
  const other = await post('passes', { template_id: template, ...values })
  const push = sandbox.apple_push
  if (!push) throw new Error('the service has no push service of the sandbox')
  const line = openPushLine(push.url, push.authority)
  try {
    const device = new Device({ pushToken: await line.newToken(), serviceUrl: null })
    const link = sandbox.api_url + '/wallets/apple/passes/' + pass
    const download = await repeatBusy(() => fetch(link), PAGE_PATIENCE)
    const archive = Buffer.from(await download.arrayBuffer())
    await table.caused(['pass.installed'], 'a telephone registers', async () => {
      stage.check('registration', 201, await device.install(archive))
      return pass
    })
    await table.caused(['pass.updated'], 'PATCH passes', () =>
      patch('passes/' + pass, { values: { points: '8' } }),
    )
    await table.caused(['pass.removed'], 'the telephone unregisters', async () => {
      stage.check('unregistration', 200, await device.remove(pass))
      return pass
    })
  } finally {
    line.close()
  }
  await table.caused(['pass.scanned'], 'a scanner reads the barcode', async () => {
    const scanner_id = await post('scanners', { name: 'Door' })
    const shown = done(await stage.api.call('GET', '/v1/passes/' + other))
    return post('passes/scan', { payload: shown['payload'], scanner_id })
  })
  await table.caused(['pass.revoked'], 'POST passes/revoke', () =>
    post('passes/' + other + '/revoke', { reason: 'left' }),
  )
  await table.caused(['pass_template.updated'], 'PATCH pass_templates', () =>
    patch('pass_templates/' + template, { name: 'Members 2027' }),
  )
  await table.caused(['pass_template.archived'], 'POST pass_templates/archive', () =>
    post('pass_templates/' + template + '/archive'),
  )
}
