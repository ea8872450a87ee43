// The sandbox's calls for a tenant's own payment accounts, with the telephone and the bank of the
// sandbox and a real node: tokens are minted, addresses blocked, pages answered.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { openSimulatedHolder } from '../../../api/payments/simulation/index.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { CHAIN_DIRECTORY, CHAIN_FILE, OWNER_FILE } from '../../../scripts/chain-peer/config.ts'
import { startHolder } from '../../../scripts/holder-peer/party.ts'
import { systemClock } from '../../../shared/clock.ts'
import { randomSecret } from '../../../shared/id.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import { ENGINE_KEYS } from '../../harness/engine.ts'
import { silentLog } from '../../harness/engine-listener.ts'
import { seedPerson } from '../../harness/person.ts'
import { openTestDatabase } from '../../harness/postgres.ts'
import { startSettlement, unitsOf } from '../../harness/settlement.ts'
import { seedCardholder } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'
import { enter, visit } from '../../harness/visit.ts'
import { startWithdrawals } from '../../harness/withdrawals.ts'

const FUNDED_CENTS = 5000
const CENTS = 800

test('a tenant plays holder and issuer of its accounts in the sandbox', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const database = await openTestDatabase(t)
  const at = await startSettlement(t, undefined, database)
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-holder-'))
  const chain = join(dataDir, CHAIN_DIRECTORY)
  mkdirSync(chain)
  const { token, ownerKey, chainId } = { ...at.sandbox, ...at.config }
  writeFileSync(
    join(chain, CHAIN_FILE),
    JSON.stringify({ chain_id: chainId, token, rpc_urls: [at.url] }),
  )
  writeFileSync(join(chain, OWNER_FILE), JSON.stringify({ key: ownerKey }))
  const peer = await startHolder({ dataDir, port: 0, log: silentLog })
  const holder = openSimulatedHolder(peer.url, systemClock)
  let listens = true
  const hangUp = async (): Promise<void> => {
    if (listens) await peer.close()
    listens = false
  }
  t.teardown(async () => {
    await holder.close()
    await hangUp()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const ports = { holder, tellHolder: holder.tellHolder }
  const { api } = await startWithdrawals(t, ports, database, at)
  const simulate = (path: string, body: object = {}) => api.post('simulate/' + path, body)
  const settle = async (): Promise<void> => {
    at.clock.nowMs = systemClock.nowMs()
    await at.settle()
  }
  const statusOf = async (path: string): Promise<string> => (await api.get(path)).status

  const cardholder_id = await seedCardholder(api.sql, api.tenant)
  const made = (await api.post('payment_accounts', { cardholder_id })).body
  const account = 'payment_accounts/' + made.id
  t.match((await simulate(account + '/fund', { amount_cents: 1 })).body.error, {
    code: 'invalid_state',
    allowed_from: ['active', 'suspended'],
  })
  const enrolled = await simulate(account + '/approve_next')
  t.match(enrolled, { status: 200, body: { status: 'active', address: /^0x/ } })

  await t.test('money is minted to the account, and counts once it is final', async (t) => {
    t.match(await simulate(account + '/fund', { amount_cents: FUNDED_CENTS }), { status: 200 })
    t.same(await unitsOf(at, [enrolled.body.address]), [unitsOfCents(FUNDED_CENTS)])
    t.match(await api.get(account), { balance_cents: 0 })
    await at.mine(3)
    await at.round()
    t.match(await api.get(account), { balance_cents: FUNDED_CENTS })
  })

  const settlement_account_id = await api.seedPayee()
  const terms = { payment_account_id: made.id, settlement_account_id, amount_cents: CENTS }
  const pay = async (status: string): Promise<string> => {
    const { body } = await api.post('payments', terms)
    await until(async () => (await statusOf('payments/' + body.id)) === status)
    return body.id
  }

  // The engine learns of funds a moment later.
  let known = ''
  await until(async () => {
    const { body } = await api.post('payments', { ...terms, amount_cents: 1 })
    known = body.id
    return body.status !== 'risk_declined'
  })
  await until(async () => (await statusOf('payments/' + known)) === 'confirmed')

  await t.test('the telephone approves or denies the next payment, and no other', async (t) => {
    await simulate(account + '/approve_next')
    const approved = await pay('confirmed')
    t.match(await api.get('payments/' + approved), { confirmation: { by: 'passkey' } })
    await simulate(account + '/deny_next')
    t.match(await api.get('payments/' + (await pay('voided'))), { void_cause: 'holder_denied' })
    const { body } = await api.post('payments', terms)
    t.equal(await statusOf('payments/' + body.id), 'needs_confirmation')
  })

  await t.test('a person begins and approves a payment on the page of the account', async (t) => {
    const person = await seedPerson(api.sql, api.tenant.tenantId, 'admin', ENGINE_KEYS)
    const cookie = await enter({ url: api.url, clock: { nowMs: systemClock.nowMs() } }, person)
    const root = '/d/' + api.tenant.tenantId + '/sandbox/'
    const send = async (path: string, form: { [name: string]: string } = {}) => {
      const sent = { form_id: randomSecret(18), ...form }
      return visit(api, root + path, { cookie, form: sent })
    }
    const shown = async (path: string) => (await visit(api, root + path, { cookie })).text()
    t.match(await shown(account), /Begin a payment[\s\S]*Play the holder/)
    const linkIn = (page: string) => /http:\/\/[^<"]*\/pay\/[^<"]*/.exec(page)?.[0]
    const wrong = await send(account + '/pay', { settlement_account_id, amount: '8,0.0.0' })
    t.equal(wrong.status, 422)
    t.match(await wrong.text(), 'Type an amount such as 12.50.')

    const begun = await send(account + '/pay', {
      ...{ settlement_account_id, amount: '8.00', description: 'Two <books>' },
    })
    const text = await begun.text()
    t.match(text, /Payment of 8\.00 USD[\s\S]*needs confirmation/)
    t.ok(linkIn(text), 'the link of the holder, shown this once')
    const [, id = ''] = /\/payments\/(pay_\w+)/.exec(text) ?? []
    t.match(await shown(account), 'Two &lt;books&gt;')
    t.match(await shown('payments/' + id), 'Make a new link?')
    t.notMatch(await shown('payments/' + id), '/capture"', 'nothing is approved yet')
    const linked = await (await send('payments/' + id + '/link')).text()
    t.match(linkIn(linked), 'http://')
    t.not(linkIn(linked), linkIn(text), 'another link')
    await send('payments/' + id + '/void')
    t.equal(await statusOf('payments/' + id), 'voided')

    t.equal((await send(account + '/approve')).status, 303)
    const next = await send(account + '/pay', { settlement_account_id, amount: '8.00' })
    const [, approved = ''] = /\/payments\/(pay_\w+)/.exec(await next.text()) ?? []
    await until(async () => (await statusOf('payments/' + approved)) === 'confirmed')
    t.match(await shown('payments/' + approved), '/capture"')
    t.equal((await send(account + '/fund', { amount: '1.00' })).status, 303)
    t.equal((await send(account + '/deny')).status, 303)
    t.match(await api.get('payments/' + (await pay('voided'))), { void_cause: 'holder_denied' })
    await send('payments/' + approved + '/void')

    const other = await seedCardholder(api.sql, api.tenant)
    const form = { form_id: randomSecret(18), cardholder_id: other }
    const opened = await send('payment_accounts/new', form)
    const repeated = await (await send('payment_accounts/new', form)).text()
    t.match(repeated, 'The link was shown before')
    t.notOk(linkIn(repeated))
    const [, own = ''] = /\/payment_accounts\/(pacc_\w+)/.exec(await opened.text()) ?? []
    t.match(await shown('payment_accounts/' + own), /pending[\s\S]*Make an enrolment link/)
    t.equal((await send('payment_accounts/' + own + '/approve')).status, 303)
    t.match(await shown('payment_accounts/' + own), /active[\s\S]*<code>0x[0-9a-fA-F]{40}/)
    const broke = await send('payment_accounts/' + own + '/pay', {
      ...{ settlement_account_id, amount: '8.00' },
    })
    t.match(await broke.text(), 'Declined: insufficient funds')
  })

  await t.test('a blocked account cannot pay, and can afterwards', async (t) => {
    await simulate(account + '/approve_next')
    const id = await pay('confirmed')
    t.match(await simulate(account + '/block'), { status: 200 })
    await api.post('payments/' + id + '/capture')
    await settle()
    at.clock.nowMs += 6000
    await at.round()
    await at.round()
    t.equal(await statusOf('payments/' + id), 'failed')
    t.match(await simulate(account + '/unblock'), { status: 200 })
    t.match(await api.operate('POST', '/payments/' + id + '/retry'), { status: 200 })
    await settle()
    t.equal(await statusOf('payments/' + id), 'captured')
  })

  await t.test('a blocked payee gets nothing, and everything afterwards', async (t) => {
    const payee = 'settlement_accounts/' + settlement_account_id
    await simulate(account + '/approve_next')
    const id = await pay('confirmed')
    t.match(await simulate(payee + '/block'), { status: 200, body: { id: settlement_account_id } })
    await api.post('payments/' + id + '/capture')
    await settle()
    t.equal(await statusOf('payments/' + id), 'capture_pending')
    t.match(await simulate(payee + '/unblock'), { status: 200 })
    await settle()
    t.equal(await statusOf('payments/' + id), 'captured')
  })

  await t.test('other accounts, telephones and environments are refused', async (t) => {
    const own = await api.openAccount(0)
    t.match(await simulate('payment_accounts/' + own.id + '/approve_next'), {
      status: 409,
      body: { error: { code: 'invalid_state', message: /telephone/ } },
    })
    t.match(await simulate(account + '/fund', { amount_cents: 100_000_001 }), { status: 400 })
    const strange = { key: api.other.keys.write, body: {} }
    for (const path of [
      account + '/block',
      'settlement_accounts/' + settlement_account_id + '/block',
    ])
      t.match(await api.call('POST', '/v1/simulate/' + path, strange), { status: 404 })
    await hangUp()
    t.match((await simulate(account + '/block')).body.error, { code: 'dependency_unavailable' })
  })
})
