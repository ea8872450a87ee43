// Answers of the API for people: a table of a list, a line per field of one thing.
import { isoInstant } from '../../shared/clock.ts'
import type { Document } from './caller.ts'

const GAP = '  '
/** Fields that are Unix seconds. */
const MOMENTS = /(^created$|_at$)/

/** A list as a table of these fields. */
export function table(answer: Document, names: readonly string[]): string {
  const items = answer['data'] as readonly Document[]
  if (items.length === 0) return 'None.'
  const rows = [
    names.map((name) => name.toUpperCase()),
    ...items.map((item) => names.map((name) => cell(name, item[name]))),
  ]
  const widths = names.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

/** One resource, a field a line; empty fields are left out. */
export function fields(answer: Document): string {
  const shown = Object.entries(answer).filter(
    ([name, value]) => name !== 'object' && value !== null && !isEmpty(value),
  )
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => name.padEnd(width) + GAP + cell(name, value)).join('\n')
}

export function programLines(answer: Document): string {
  return table(answer, ['id', 'tenant_id', 'name', 'livemode', 'status', 'suspended_by'])
}

/** A tenant with its entitlements, and with its programs if they were read too. */
export function tenantShown(answer: Document): string {
  const { rate_limit_overrides: overrides, programs, ...tenant } = answer
  const parts = [fields(tenant)]
  for (const override of (overrides ?? []) as readonly Document[]) {
    const until = cell('expires_at', override['expires_at'])
    parts.push(
      'Rate limits of the sandbox are lifted ' + override['factor'] + ' times until ' + until,
    )
  }
  if (programs !== undefined) parts.push('Programs\n' + programLines({ data: programs }))
  return parts.join('\n\n')
}

/** The secret on a line of its own, so that it can be taken. */
export function keyIssued(answer: Document): string {
  return secretShown(answer, 'The key. It is shown this once:')
}

export function personMade(answer: Document): string {
  const { password, totp_secret: totp, recovery_codes: codes, ...rest } = answer
  if (password === null) return fields(rest) + '\n\nThe person signs in as before.'
  return howTheySignIn({ ...rest, totp_secret: totp, recovery_codes: codes }, [
    'password  ' + String(password),
  ])
}

export function factorMade(answer: Document): string {
  return howTheySignIn(answer, [])
}

function howTheySignIn(answer: Document, first: readonly string[]): string {
  const { totp_secret: totp, recovery_codes: codes, ...rest } = answer
  const listed = Array.isArray(codes) ? codes.map((code) => '          ' + String(code)) : []
  return [
    fields(rest),
    '',
    'How they sign in. It is shown this once:',
    ...first,
    'TOTP      ' + String(totp),
    'recovery codes',
    ...listed,
  ].join('\n')
}

export function operatorMade(answer: Document): string {
  return secretShown(answer, 'The operator’s credential. It is shown this once:')
}

export function networkKeyMade(answer: Document): string {
  return secretShown(answer, 'The secret of the network’s key. It is shown this once:')
}

function secretShown(answer: Document, sentence: string): string {
  const { secret, ...rest } = answer
  return fields(rest) + '\n\n' + sentence + '\n' + String(secret)
}

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'number' && MOMENTS.test(name)) return isoInstant(value * 1000)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
