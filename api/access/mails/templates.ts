// The texts of our mails: a template per row, with its fields. Plain text only: it cannot load
// anything, and every reader shows it.
import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import { type BillingMail, billingText } from './billing-text.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Changes of how a person signs in, and the sentence of each. */
const SECURITY_CHANGES = {
  password: 'The password of your account was changed.',
  generator: 'Another authenticator makes your codes now; earlier recovery codes no longer work.',
  generator_removed: 'The authenticator of your account was removed.',
  recovery_codes: 'Your account has other recovery codes; the earlier ones no longer work.',
  passkey: 'A passkey was added to your account.',
  passkey_counter:
    'A passkey of your account was used with an older counter: if you did not copy it, remove it.',
  passkey_removed: 'A passkey was removed from your account.',
  factor_reset: 'An operator replaced your authenticator and your recovery codes.',
  profile: 'The name or the address of your account was changed.',
  disabled: 'Your membership was disabled: you approve no more calls.',
  enabled: 'Your membership was enabled again.',
  role: 'Your role in a tenant was changed.',
  removed: 'You were removed from a tenant: you belong to it no more.',
  regained: 'Your second factors were removed by a link that an owner or admin sent you.',
} as const
export type SecurityChange = keyof typeof SECURITY_CHANGES

/** Fields of each template. A `link` is secret. */
export interface MailFields {
  invitation: {
    link: string
    tenant: string
    role: PersonRole
    /** Null: an operator invites. */
    inviter: string | null
    endsAt: EpochMs
  }
  verify_address: { link: string; name: string }
  reset_password: { link: string; name: string }
  /** An owner or admin lets a person in again who lost every factor. */
  regain_access: { link: string; name: string; tenant: string; by: string }
  /** An operator gives an owner another second factor, after a day. */
  factor_reset_waits: {
    link: string
    name: string
    tenant: string
    person: string
    worksAt: EpochMs
  }
  security_notice: { name: string; change: SecurityChange; address: string | null; at: EpochMs }
  joined: { name: string; tenant: string; person: string; role: PersonRole }
  /** An operator added a person, whom nobody of the tenant invited. */
  person_added: { name: string; tenant: string; person: string; role: PersonRole }
  /** A token of a platform was used twice. */
  connection_ended: { name: string; tenant: string; client: string; at: EpochMs }
  kyb_approved: { name: string; tenant: string }
  kyb_rejected: { name: string; tenant: string; reason: string }
  billing: BillingMail
}
export type Template = keyof MailFields

/** A mail that is to be written: its template and the fields of it. */
export type MailContent = {
  [Name in Template]: { template: Name; fields: MailFields[Name] }
}[Template]

/** Milliseconds for which a mail is of use: those with a link end with their link. */
export const LIFETIMES: { readonly [Name in Template]: number } = {
  invitation: 7 * DAY_MS,
  verify_address: DAY_MS,
  reset_password: HOUR_MS,
  regain_access: DAY_MS,
  factor_reset_waits: DAY_MS,
  security_notice: 7 * DAY_MS,
  joined: 7 * DAY_MS,
  person_added: 7 * DAY_MS,
  connection_ended: 7 * DAY_MS,
  kyb_approved: 7 * DAY_MS,
  kyb_rejected: 7 * DAY_MS,
  billing: 7 * DAY_MS,
}

export interface MailText {
  subject: string
  text: string
}

const NAME_CHARACTERS_MAX = 100

/**
 * A name that a person chose, in the text of a mail to another: without invisible characters and
 * line breaks, cut, and never a link, which mail programs make of any text that looks like one.
 */
export function safeName(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/[.:/\\@](?=\S)/g, ' ')
    .trim()
    .slice(0, NAME_CHARACTERS_MAX)
}

/** A text that may have several sentences, in one line and without links. */
function safeText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('://', ' ')
    .trim()
}

type Writers = { readonly [Name in Template]: (fields: MailFields[Name]) => MailText }

const WRITERS: Writers = {
  invitation: ({ link, tenant, role, inviter, endsAt }) => ({
    subject: 'Invitation to ' + safeName(tenant),
    text: paragraphs(
      (inviter === null ? 'You are invited' : safeName(inviter) + ' invites you') +
        ' to join ' +
        safeName(tenant) +
        ' as ' +
        role +
        '.',
      'Accept the invitation here. The link works once, until ' + moment(endsAt) + ':',
      link,
      'If you did not expect this, ignore the mail: without the link nothing happens.',
    ),
  }),
  verify_address: ({ link, name }) => ({
    subject: 'Confirm your address',
    text: paragraphs(
      'Hello ' + safeName(name) + ',',
      'Confirm that this address is yours. The link works once, for 24 hours:',
      link,
      'If you did not sign up, ignore the mail: the address then binds nobody.',
    ),
  }),
  reset_password: ({ link, name }) => ({
    subject: 'Choose another password',
    text: paragraphs(
      'Hello ' + safeName(name) + ',',
      'Choose another password here. The link works once, for one hour:',
      link,
      'If you did not ask for this, ignore the mail: your password stays as it is.',
    ),
  }),
  regain_access: ({ link, name, tenant, by }) => ({
    subject: 'Come in again to ' + safeName(tenant),
    text: paragraphs(
      'Hello ' + safeName(name) + ',',
      safeName(by) + ' lets you into ' + safeName(tenant) + ' again without your second factors.',
      'Choose another password here. Your passkeys, authenticator and recovery codes end with it. The link works once, for 24 hours:',
      link,
      'If you lost nothing, ignore the mail and tell an owner: without the link nothing changes.',
    ),
  }),
  factor_reset_waits: ({ link, name, tenant, person, worksAt }) => ({
    subject: 'Another second factor for ' + safeName(person),
    text: paragraphs(
      'Hello ' + safeName(name) + ',',
      'An operator gives ' +
        safeName(person) +
        ', an owner of ' +
        safeName(tenant) +
        ', another second factor. It works from ' +
        moment(worksAt) +
        '; passkeys, authenticator and recovery codes of before end then.',
      'If none of you asked for this, cancel it here:',
      link,
    ),
  }),
  security_notice: ({ name, change, address, at }) => ({
    subject: 'Your account was changed',
    text: paragraphs(
      'Hello ' + safeName(name) + ',',
      SECURITY_CHANGES[change],
      'When: ' + moment(at) + (address === null ? '' : '\nFrom: ' + address),
      'If this was not you, choose another password at once and tell an owner of your tenant.',
    ),
  }),
  joined: ({ name, tenant, person, role }) => ({
    subject: safeName(person) + ' joined ' + safeName(tenant),
    text: paragraphs(
      'Hello ' + safeName(name) + ',',
      safeName(person) + ' accepted an invitation to ' + safeName(tenant) + ' as ' + role + '.',
      'If you did not expect this, ask an operator to disable the person.',
    ),
  }),
  person_added: ({ name, tenant, person, role }) => ({
    subject: 'An operator added ' + safeName(person) + ' to ' + safeName(tenant),
    text: paragraphs(
      'Hello ' + safeName(name) + ',',
      'An operator gave ' +
        safeName(tenant) +
        ' another person: ' +
        safeName(person) +
        ', ' +
        role +
        '.',
      'If none of you asked for this, disable the person at once and tell your contact.',
    ),
  }),
  connection_ended: ({ name, tenant, client, at }) => ({
    subject: 'The connection of ' + safeName(client) + ' was ended',
    text: paragraphs(
      'Hello ' + safeName(name) + ',',
      'A token with which ' +
        safeName(client) +
        ' acts for ' +
        safeName(tenant) +
        ' was used twice: it may have been stolen. The connection was ended, and every token of it is refused.',
      'When: ' + moment(at),
      'Ask the platform what happened before you connect it again.',
    ),
  }),
  kyb_approved: ({ name, tenant }) => ({
    subject: safeName(tenant) + ' may go live',
    text: paragraphs(
      'Hello ' + safeName(name) + ',',
      'The business of ' + safeName(tenant) + ' is verified. Live is open from now on.',
      'Make live keys in the same way as those of the sandbox.',
    ),
  }),
  kyb_rejected: ({ name, tenant, reason }) => ({
    subject: 'The application of ' + safeName(tenant),
    text: paragraphs(
      'Hello ' + safeName(name) + ',',
      'The business of ' + safeName(tenant) + ' could not be verified. The reason:',
      safeText(reason),
      'You may apply again with corrected details. The sandbox stays open.',
    ),
  }),
  billing: (fields) => {
    const { subject, sentences } = billingText({ ...fields, tenant: safeName(fields.tenant) })
    return { subject, text: paragraphs('Hello ' + safeName(fields.name) + ',', ...sentences) }
  },
}

/** The subject and the text of a mail. */
export function mailText({ template, fields }: MailContent): MailText {
  // The template of a content names the type of its fields.
  const write = WRITERS[template] as (fields: MailContent['fields']) => MailText
  return write(fields)
}

function paragraphs(...texts: readonly string[]): string {
  return [...texts, 'svc'].join('\n\n') + '\n'
}

function moment(at: EpochMs): string {
  return isoInstant(at).slice(0, 16).replace('T', ' ') + ' UTC'
}
