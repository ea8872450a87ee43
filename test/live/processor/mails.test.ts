// Notices of billing reach the owners of a tenant by mail, over SMTP.
import { type Test, test } from 'tap'
import { billingMails } from '../../../api/platform/billing-mails/index.ts'
import { seal } from '../../../shared/keyring.ts'
import { MASTER_KEYS, type TestApi } from '../../harness/api.ts'
import { DAY_MS, moveSandbox } from '../../harness/billing.ts'
import { beginBilling } from '../../harness/billing-story.ts'
import { runJob } from '../../harness/jobs.ts'
import { type Mail, openReceiver, sendMails } from '../../harness/mail.ts'
import { file } from '../../harness/per-file.ts'
import { seedPerson } from '../../harness/person.ts'

const JOB = billingMails({ seal: (context, text) => seal(MASTER_KEYS, context, text) })

/** A tenant with two owners and a developer, whose card is declined. */
async function begin(t: Test, { isSent = false } = {}) {
  const story = await beginBilling(file, { card: 'declined', isSent })
  const { api } = story
  const { tenantId } = api.tenant
  const owners = [await seedPerson(api.sql, tenantId), await seedPerson(api.sql, tenantId)]
  const developer = await seedPerson(api.sql, tenantId, 'developer')
  const receiver = await openReceiver(t)
  let seen = 0
  /** Mails to people of the tenant since the last call. */
  const newMails = async (): Promise<Mail[]> => {
    await runJob(JOB, { sql: api.sql, now: api.clock.nowMs })
    await sendMails(api.sql, receiver, { now: api.clock.nowMs })
    const fresh = receiver.mails.slice(seen)
    seen = receiver.mails.length
    const people = [...owners, developer].map(({ email }) => email)
    return fresh.filter(({ recipients }) => recipients.some((to) => people.includes(to)))
  }
  return { ...story, owners, newMails }
}

const subjects = (mails: readonly Mail[]): string[] =>
  [...new Set(mails.map(({ subject }) => subject))].sort()

const linesOf = (mail: Mail | undefined): string[] => (mail?.text ?? '').split(/\r?\n/)

async function unmailed({ sql, tenant }: TestApi): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from billing_notices
    where tenant_id = ${tenant.tenantId} and mailed_at is null`
  return row?.count ?? -1
}

test('owners read of a failure with its page, of each stage, and of the payment', async (t) => {
  const { api, owners, newMails, settle, addCard, invoice } = await begin(t)
  await settle()
  const { id, hosted_url } = await invoice()
  const failed = await newMails()
  const addresses = failed.flatMap(({ recipients }) => recipients).sort()
  t.same(addresses, owners.map(({ email }) => email).sort(), 'one mail to each owner')
  t.equal(subjects(failed).length, 1)
  t.match(failed[0]?.subject, /^Sandbox: A payment of .+ failed$/)
  const text = failed[0]?.text ?? ''
  t.match(text, 'Invoice ' + id + ' of 49.00 USD could not be collected.')
  t.ok(linesOf(failed[0]).includes(hosted_url), 'with the page on which it is paid')
  t.match(text, /This is the sandbox/)
  t.same(await newMails(), [], 'a notice is mailed once')
  api.clock.nowMs += 28 * DAY_MS
  await settle()
  const stages = subjects(await newMails()).join('\n')
  t.match(stages, /is restricted/)
  t.match(stages, /is suspended/)
  await addCard('visa')
  await settle()
  const paid = await newMails()
  t.match(subjects(paid), [/An invoice of .+ is paid/])
  t.notMatch(paid[0]?.text, 'http')
  t.equal(await unmailed(api), 0)
})

test('a notice waits while its mails cannot be written, and two dispatchers write them once', async (t) => {
  const { api, newMails, settle } = await begin(t)
  const { sql, clock } = api
  await settle()
  const broken = billingMails({
    seal: () => {
      throw new Error('no key')
    },
  })
  await t.rejects(runJob(broken, { sql, now: clock.nowMs }), /no key/)
  t.equal(await unmailed(api), 1)
  const run = () => runJob(JOB, { sql, now: clock.nowMs })
  await Promise.all([run(), run(), run()])
  t.equal(await unmailed(api), 0)
  t.equal((await newMails()).length, 2)
})

test('a sandbox whose clock was moved sends no mail', async (t) => {
  const { api, newMails, settle, notices } = await begin(t)
  await moveSandbox(api, api.clock.nowMs + 40 * DAY_MS)
  await settle()
  t.same(await notices(), ['payment_failed'])
  t.same(await newMails(), [])
  t.equal(await unmailed(api), 0)
})

test('an invoice that is sent is mailed once with its page and its due date', async (t) => {
  const { api, newMails, settle, notices, invoice } = await begin(t, { isSent: true })
  await settle()
  const { id, hosted_url, due_at } = await invoice()
  const due = new Date(due_at * 1000).toISOString().slice(0, 10)
  const [mail, ...others] = await newMails()
  t.equal(others.length, 1, 'the other owner')
  t.match(mail?.subject, /^Sandbox: An invoice of /)
  t.match(mail?.text, 'Invoice ' + id + ' of 49.00 USD, due on ' + due + ', is open.')
  t.ok(linesOf(mail).includes(hosted_url))
  api.clock.nowMs += DAY_MS
  await settle()
  t.same(await notices(), ['invoice_sent'])
  t.same(await newMails(), [])
})
