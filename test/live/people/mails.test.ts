// Mail: written with its cause, sent to a real receiver over SMTP, tried again, given up.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { pino } from 'pino'
import { test } from 'tap'
import { endMails, mailJob, purgeMails, writeMail } from '../../../api/access/mails/index.ts'
import { readSmtpSettings } from '../../../api/access/mails/smtp.ts'
import { claimMails, saveSent } from '../../../api/access/mails/store.ts'
import { safeName } from '../../../api/access/mails/templates.ts'
import type { Sql } from '../../../api/database/pool.ts'
import { tx } from '../../../api/database/transaction.ts'
import { seal } from '../../../shared/keyring.ts'
import { parseSmtpUrl } from '../../../shared/mail-settings.ts'
import { TENANT_CERTIFICATES, TENANT_KEY, TEST_AUTHORITY } from '../../fakes/tenant-certificates.ts'
import { MASTER_KEYS, startTestApi } from '../../harness/api.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { runJob } from '../../harness/jobs.ts'
import { linkIn, openReceiver, sendMails, smtpTo } from '../../harness/mail.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'

const NOW = SEEDED_AT_MS
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const LINK = 'https://svc.test/invitations/' + 'x'.repeat(43)

const world = {
  now: NOW,
  seal: (context: string, text: string) => seal(MASTER_KEYS, context, text),
}

function invitation(to: string, names: { tenant?: string; inviter?: string } = {}) {
  const fields = { link: LINK, tenant: 'Acme', role: 'developer' as const, inviter: 'Ada' }
  return {
    to,
    template: 'invitation' as const,
    fields: { ...fields, endsAt: NOW + 7 * 24 * HOUR_MS, ...names },
  }
}

async function open() {
  const { sql } = await startTestApi()
  await sql`delete from mails`
  return sql
}

async function write(sql: Sql, to: string, names = {}): Promise<void> {
  await tx(sql, (inner) => writeMail(inner, world, invitation(to, names)))
}

function rows(sql: Sql) {
  return sql`select recipient, sealed, due_at, attempts, sent_at, failed_at, problem from mails order by id`
}

test('a mail exists only with its cause, is sealed until it is sent, and never in a log', async (t) => {
  const sql = await open()
  const peer = await openReceiver(t)
  const undone = tx(sql, async (inner) => {
    await writeMail(inner, world, invitation('nobody@acme.example'))
    throw new Error('the cause failed')
  })
  await t.rejects(undone, /the cause failed/)
  t.equal((await rows(sql)).length, 0)

  await write(sql, 'grace@acme.example')
  const [waiting] = await rows(sql)
  t.match(waiting?.['sealed'], /^s1:/)
  t.notMatch(JSON.stringify(waiting), /x{43}|Acme/)
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
  t.equal(await sendMails(sql, peer, { now: NOW, log }), 1)
  t.equal(await sendMails(sql, peer, { now: NOW + HOUR_MS, log }), 0, 'sent once')
  const [mail] = peer.mails
  t.same(mail?.recipients, ['grace@acme.example'])
  t.equal(mail?.subject, 'Invitation to Acme')
  t.equal(mail?.from, 'svc <no-reply@svc.example>')
  t.match(mail?.id, /^<mail_[0-9a-z]{26}@svc\.example>$/)
  t.equal(linkIn(mail ?? { text: '' }), LINK)
  t.match(mail?.text, 'Ada invites you to join Acme as developer.')
  t.match((await rows(sql))[0], { sealed: null, due_at: null, sent_at: NOW, attempts: 1 })
  t.notMatch(lines.join('\n'), /x{43}|grace/)
})

test('a refused mail waits longer each time; a bounce and the twelfth failure end it', async (t) => {
  const sql = await open()
  const peer = await openReceiver(t)
  for (const name of ['later', 'bounce', 'fine']) await write(sql, name + '@acme.example')
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
  t.equal(await sendMails(sql, peer, { now: NOW, log }), 3)
  const [later, bounced, fine] = await rows(sql)
  t.match(later, { attempts: 1, due_at: NOW + 30_000, problem: 'EENVELOPE 451', failed_at: null })
  t.match(bounced, { sealed: null, due_at: null, failed_at: NOW, problem: 'EENVELOPE 550' })
  t.match(fine, { sent_at: NOW, problem: null })
  t.match(lines.join('\n'), /a mail was given up/)
  t.notMatch(lines.join('\n'), /x{43}|acme\.example|no such mailbox/)
  t.equal(await sendMails(sql, peer, { now: NOW + 29_999 }), 0)
  t.equal(await sendMails(sql, peer, { now: NOW + 30_000 }), 1)
  t.same(
    peer.mails.map(({ recipients }) => recipients[0]),
    ['fine@acme.example', 'later@acme.example'],
  )

  await sql`delete from mails`
  await write(sql, 'grace@acme.example')
  const nowhere = smtpTo('smtp://127.0.0.1:1')
  const waits: number[] = []
  let now = NOW
  for (let attempt = 1; attempt <= 12; attempt++) {
    t.equal(await sendMails(sql, nowhere, { now }), 1)
    const [row] = await rows(sql)
    if (row?.['due_at'] === null) break
    waits.push((row?.['due_at'] - now) / 1000)
    now = row?.['due_at']
  }
  t.same(waits, [30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 10_800, 10_800])
  t.match((await rows(sql))[0], { attempts: 12, sealed: null, problem: 'ESOCKET' })
})

test('a lease keeps others away, ends, and its late holder changes nothing', async (t) => {
  const sql = await open()
  const peer = await openReceiver(t)
  await write(sql, 'grace@acme.example')
  const [held] = await claimMails(sql, { now: NOW, leaseUntil: NOW + MINUTE_MS, most: 5 })
  t.equal(await sendMails(sql, peer, { now: NOW + MINUTE_MS - 1 }), 0)
  t.equal(await sendMails(sql, peer, { now: NOW + MINUTE_MS }), 1, 'as after a kill')
  t.equal(peer.mails.length, 1)
  const [before] = await rows(sql)
  if (held !== undefined) await saveSent(sql, held, NOW + 2 * MINUTE_MS)
  t.same((await rows(sql))[0], before)

  for (let count = 0; count < 20; count++) await write(sql, 'grace@acme.example')
  const many = () => claimMails(sql, { now: NOW, leaseUntil: NOW + MINUTE_MS, most: 7 })
  const claims = (await Promise.all([many(), many(), many()])).flat()
  t.equal(claims.length, 20)
  t.equal(new Set(claims.map(({ id }) => id)).size, 20, 'no mail has two holders')
})

test('mails that nobody can send in time end, also those that no key opens', async (t) => {
  const sql = await open()
  const peer = await openReceiver(t)
  await write(sql, 'grace@acme.example')
  await sql`update mails set sealed = 's1:k0:AAAA'`
  t.equal(await sendMails(sql, peer, { now: NOW }), 1)
  t.match((await rows(sql))[0], { attempts: 1, due_at: NOW + 30_000, problem: 'UNREADABLE' })
  const end = NOW + 7 * 24 * HOUR_MS
  t.equal(await sendMails(sql, peer, { now: end }), 0)
  t.equal(await runJob(endMails, { sql, now: end - 1 }), 0)
  t.equal(await runJob(endMails, { sql, now: end }), 1)
  t.match((await rows(sql))[0], { sealed: null, due_at: null, failed_at: end })
  t.equal(peer.mails.length, 0)
  t.equal(await runJob(purgeMails, { sql, now: NOW + 30 * 24 * HOUR_MS }), 0)
  t.equal(await runJob(purgeMails, { sql, now: NOW + 30 * 24 * HOUR_MS + 1 }), 1)
  t.equal((await rows(sql)).length, 0)
})

test('the job counts what it sent, tried again and gave up', async (t) => {
  const sql = await open()
  const peer = await openReceiver(t)
  for (const name of ['bounce', 'later', 'fine']) await write(sql, name + '.c@acme.example')
  const { job, close } = mailJob(smtpTo('smtp://127.0.0.1:' + peer.smtpPort), () => ({
    ok: true,
    value: Buffer.from(JSON.stringify(invitation('').fields)),
  }))
  await runJob(job, { sql, now: NOW })
  await close()
  t.same(job.lines?.().slice(2), [
    'svc_mails_total{end="sent"} 1',
    'svc_mails_total{end="retried"} 1',
    'svc_mails_total{end="given_up"} 1',
  ])
})

test('over TLS only, to a server that proves its name, with a password never sent in clear', async (t) => {
  const sql = await open()
  const authority = join(t.testdir(), 'authority.pem')
  writeFileSync(authority, TEST_AUTHORITY)
  const tls = createSecureContext({ key: TENANT_KEY, cert: TENANT_CERTIFICATES.good })
  const account = { user: 'svc', password: 'p@ss w0rd' }
  const attempt = async (url: string, more: { authority?: string } = {}) => {
    await sql`delete from mails`
    await write(sql, 'grace@acme.example')
    await sendMails(sql, smtpTo(url, { environment: 'live', ...more }), { now: NOW })
    return (await rows(sql))[0]?.['problem']
  }
  for (const implicitTls of [true, false]) {
    const peer = await openReceiver(t, { tls, implicitTls, account })
    const at = (secret: string) =>
      (implicitTls ? 'smtps://' : 'smtp://') + secret + '127.0.0.1:' + peer.smtpPort
    const right = at('svc:p%40ss%20w0rd@')
    t.equal(await attempt(right, { authority }), null)
    t.match(peer.mails, [{ encrypted: true }])
    t.match(await attempt(right), /^(ESOCKET|ETLS)/, 'an unknown authority')
    t.equal(await attempt(at('svc:wrong@'), { authority }), 'EAUTH 535')
    t.equal(await attempt(at(''), { authority }), 'EENVELOPE 530')
    t.equal(peer.mails.length, 1)
  }
  const plain = await openReceiver(t, { account })
  t.equal(await attempt('smtp://svc:secret@127.0.0.1:' + plain.smtpPort, { authority }), 'ETLS 502')
  t.equal(plain.mails.length, 0)
})

test('settings that cannot send safely are refused by name', (t) => {
  const read = (url: string, from: string | null, environment: 'sandbox' | 'live') => {
    const problems: string[] = []
    const address = parseSmtpUrl(url)
    const values = { SVC_SMTP_AUTHORITY: null, SVC_MAIL_FROM: from, SVC_ENVIRONMENT: environment }
    const value = address.ok ? address.value : null
    const settings = readSmtpSettings({ SVC_SMTP_URL: value, ...values }, problems)
    return settings ?? problems
  }
  const from = 'no-reply@svc.example'
  const together = 'SVC_SMTP_URL and SVC_MAIL_FROM must be set together'
  t.same(read('', null, 'live'), [])
  t.same(read('', from, 'sandbox'), [together])
  t.same(read('smtp://mail.example', null, 'live'), [together])
  t.match(read('smtp://u:p@127.0.0.1', from, 'sandbox'), [/^SVC_SMTP_URL must begin with smtps/])
  t.match(read('smtp://127.0.0.1', from, 'sandbox'), { inClear: true })
  t.match(read('smtp://127.0.0.1', from, 'live'), { inClear: false })
  t.match(read('smtp://mail.example', from, 'sandbox'), { inClear: false, port: 587 })
  t.match(read('smtp://127.0.0.1.evil.example', from, 'sandbox'), { inClear: false })
  t.end()
})

test('26: hostile names add no header, no link and no recipient, and the inbox shows text', async (t) => {
  const sql = await open()
  const peer = await openReceiver(t)
  const names = [
    'Eve\r\nBcc: all@acme.example',
    '<img src=x onerror=alert(1)>',
    '\u202egro.live//:sptth\u202c',
    'Win 100 https://evil.example/now www.evil.example',
    'w'.repeat(10_000),
    'Zoë 🎉 漢字',
  ]
  for (const name of names) await write(sql, 'grace@acme.example', { inviter: name, tenant: name })
  t.equal(await sendMails(sql, peer, { now: NOW }), names.length)
  for (const { recipients, text, subject } of peer.mails) {
    t.same(recipients, ['grace@acme.example'])
    t.same(text.match(/https?:\/\/\S+|www\.\S+/g), [LINK])
    t.notMatch(subject + text, /[\u202a-\u202e\r\u2066-\u2069](?!\n)/)
    t.ok(subject.length < 130, subject)
  }
  t.ok(peer.mails.some(({ subject }) => subject === 'Invitation to Zoë 🎉 漢字'))
  t.equal(safeName(' A.\tB. Inc. '), 'A. B. Inc.')

  const browser = await openBrowser(t)
  for (const dark of [false, true])
    for (const width of [390, 1280]) {
      const { page, errors } = await openWatched(browser, { width, dark, scripts: false })
      const look = width + (dark ? '-dark' : '-light')
      await page.goto(peer.url + '/inbox')
      t.equal(await page.locator('.mails li').count(), names.length)
      t.equal(await page.locator('img').count(), 0)
      const tooWide = () =>
        page.locator('body').evaluate((body) => body.scrollWidth > body.clientWidth)
      t.notOk(await tooWide(), 'list ' + look)
      await picture(page, 'inbox-' + look)
      for (let tabs = 0; tabs < 2; tabs++) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/inbox\/\d+$/)
      t.notOk(await tooWide(), 'mail ' + look)
      t.equal(await page.locator('.text a').getAttribute('href'), LINK)
      await picture(page, 'inbox-mail-' + look)
      const markup = peer.mails.find(({ text }) => text.includes('<img'))
      await page.goto(peer.url + '/inbox/' + markup?.number)
      t.match(await page.locator('.text').textContent(), '<img src=x')
      t.same(errors, [])
    }
  t.equal((await fetch(peer.url + '/inbox/99')).status, 404)
  t.equal((await fetch(peer.url + '/inbox', { method: 'POST' })).status, 405)
})
