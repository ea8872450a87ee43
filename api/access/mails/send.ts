// The job that sends mails: claims some that are due, hands them to the mail server, and saves each
// outcome. Several dispatchers may run it. A mail is sent at least once: after a kill between the
// server's answer and our commit it is sent again, under the same Message-ID.
import { SEAL_CONTEXTS, type Unseal } from '../../../shared/keyring.ts'
import { familyLines } from '../../../shared/metric-text.ts'
import type { Job, JobRun, OpenJob } from '../../jobs/job.ts'
import { openSmtp, type SmtpFailure, type SmtpSettings } from './smtp.ts'
import {
  type ClaimedMail,
  claimMails,
  deleteMails,
  endUseless,
  saveFailure,
  saveSent,
} from './store.ts'
import { type MailContent, mailText } from './templates.ts'

const EVERY_MS = 500
/** Longer than a mail takes at most; then another process may claim it. */
const LEASE_MS = 120_000
const BATCH = 5
/** Chosen: twelve attempts in about ten hours; a mail whose link ended before is given up then. */
const ATTEMPTS_MAX = 12
const BACKOFF_MS_MIN = 30_000
const BACKOFF_MS_MAX = 3 * 3_600_000
const KEPT_MS = 30 * 24 * 3_600_000

/** Milliseconds until the next attempt, after this many. */
function backoffMs(attempts: number): number {
  return Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** (attempts - 1))
}

/** Sends mail while the dispatcher runs. */
export function mailJob(settings: SmtpSettings, unseal: Unseal): OpenJob {
  const smtp = openSmtp(settings)
  const counts = { sent: 0, retried: 0, given_up: 0 }

  async function sendOne(run: JobRun, mail: ClaimedMail): Promise<void> {
    const { sql, log, now, signal } = run
    const content = contentOf(mail, unseal)
    const failure: SmtpFailure | null =
      content === null
        ? { problem: 'UNREADABLE', isFinal: false }
        : await smtp.send({ id: mail.id, to: mail.recipient, ...mailText(content) }, signal)
    const named = { mail_id: mail.id, template: mail.template, attempts: mail.attempts }
    if (failure === null) {
      await saveSent(sql, mail, now)
      counts.sent += 1
      return
    }
    const { problem, isFinal } = failure
    const ends = isFinal || mail.attempts >= ATTEMPTS_MAX
    await saveFailure(sql, mail, {
      problem,
      dueAt: ends ? null : now + backoffMs(mail.attempts),
      now,
    })
    counts[ends ? 'given_up' : 'retried'] += 1
    if (ends) log.error({ ...named, problem }, 'a mail was given up')
    else log.warn({ ...named, problem }, 'a mail was not accepted and is tried again')
  }

  const job: Job = {
    name: 'mails',
    every: EVERY_MS,
    lease: LEASE_MS,
    batch: BATCH,
    async run(run) {
      const { sql, now, leaseMs, batch: most } = run
      const claimed = await claimMails(sql, { now, leaseUntil: now + leaseMs, most })
      await Promise.all(claimed.map((mail) => sendOne(run, mail)))
      return claimed.length
    },
    lines: () =>
      familyLines(
        { name: 'svc_mails_total', type: 'counter', help: 'Attempts to send a mail.' },
        Object.entries(counts).map(([end, count]) => 'svc_mails_total{end="' + end + '"} ' + count),
      ),
  }
  return { job, close: () => smtp.close() }
}

function contentOf({ template, sealed }: ClaimedMail, unseal: Unseal): MailContent | null {
  const opened = unseal(SEAL_CONTEXTS.mail, sealed)
  if (!opened.ok) return null
  // insertMail is the only writer of the column.
  return { template, fields: JSON.parse(opened.value.toString('utf8')) } as MailContent
}

/** Gives up mails of no more use, also where no mail server is named. */
export const endMails: Job = {
  name: 'end_mails',
  every: 10_000,
  lease: 60_000,
  batch: 1000,
  async run({ sql, now, batch, log }) {
    const ended = await endUseless(sql, { now, max: batch })
    if (ended > 0) log.error({ mails: ended }, 'mails were given up: they were not sent in time')
    return ended
  },
}

/** Thirty days after its creation a mail goes. */
export const purgeMails: Job = {
  name: 'purge_mails',
  every: 60_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteMails(sql, { before: now - KEPT_MS, max: batch }),
}
