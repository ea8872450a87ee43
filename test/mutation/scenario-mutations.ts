// The smallest wrong change for each of the sixty that must turn it red: one line of our source,
// before and after.

export interface Mutation {
  /** The path of the source file, from the root. */
  path: string
  /** Occurs exactly once in it. */
  before: string
  after: string
}

const LINE = 'engine/line/'
const LIFECYCLE = 'engine/lifecycle/'
const RULES = 'engine/rules/'
const TENANT = 'engine/tenant/'

export const MUTATIONS: { readonly [number: number]: Mutation } = {
  1: {
    path: LINE + 'conclude.ts',
    before: "reason: null, amount: requested, decidedBy: 'static_controls'",
    after: "reason: null, amount: 0, decidedBy: 'static_controls'",
  },
  2: {
    path: LINE + 'conclude.ts',
    before: 'reason: tenantReason(tenant.reason), amount: 0',
    after: "reason: 'tenant_declined', amount: 0",
  },
  3: {
    path: RULES + 'card-state.ts',
    before: "suspended: 'card_suspended',",
    after: 'suspended: null,',
  },
  4: {
    path: RULES + 'cardholder-state.ts',
    before: "row[3] === 'active' ? null : 'cardholder_inactive'",
    after: "row[3] === '' ? 'cardholder_inactive' : null",
  },
  5: {
    path: RULES + 'program-active.ts',
    before: "if (row[3] === 'active') return null",
    after: "if (row[3] !== 'pending') return null",
  },
  6: {
    path: RULES + 'listed.ts',
    before: 'return low > 0 && code <= (',
    after: 'return low > 0 && code < (',
  },
  8: {
    path: LINE + 'conclude.ts',
    before: 'meters: approved ? keys : NO_KEYS,',
    after: 'meters: NO_KEYS,',
  },
  9: {
    path: 'engine/authorize.ts',
    before: '      amountCents: added,',
    after: '      amountCents: 0,',
  },
  10: {
    path: LINE + 'conclude.ts',
    before: 'if (partialApprovalCapable)',
    after: 'if (!partialApprovalCapable)',
  },
  11: {
    path: LIFECYCLE + 'authorization.ts',
    before: 'incremented: transaction.sums.incremented + approvedCents,',
    after: 'incremented: approvedCents,',
  },
  12: {
    path: LIFECYCLE + 'authorization.ts',
    before: 'set: transaction === null ? declined : 0,',
    after: 'set: declined,',
  },
  18: {
    path: LIFECYCLE + 'reverse.ts',
    before: 'Math.min(held, amountCents)',
    after: 'Math.max(held, amountCents)',
  },
  19: {
    path: LINE + 'conclude.ts',
    before: 'preconditionFailure(pending.message.record, match?.transaction ?? null, requested)',
    after: 'null',
  },
  20: {
    path: LINE + 'recall.ts',
    before: 'return { text: answerText(recalledText(message.record, earlier)) }',
    after: "return 'fresh'",
  },
  21: {
    path: LINE + 'recall.ts',
    before: 'if (!earlier.contentHash.equals(message.contentHash)) {',
    after: 'if (earlier.contentHash.equals(message.contentHash)) {',
  },
  22: {
    path: LIFECYCLE + 'reverse.ts',
    before: 'reversed: transaction.sums.reversed + givenBack',
    after: 'reversed: transaction.sums.reversed + 2 * givenBack',
  },
  23: {
    path: LIFECYCLE + 'authorization.ts',
    before: 'clear: force_post | declined | ONLY_REFUNDS,',
    after: 'clear: declined | ONLY_REFUNDS,',
  },
  24: {
    path: LINE + 'match-transaction.ts',
    before: 'if ((transaction.flags & reversed_before_authorization) !== 0) return',
    after: 'if ((transaction.flags & reversed_before_authorization) === 0) return',
  },
  26: {
    path: LIFECYCLE + 'capture.ts',
    before: 'if (transaction === null) return FLAGS.force_post',
    after: 'if (transaction === null) return 0',
  },
  27: {
    path: LIFECYCLE + 'capture.ts',
    before: 'return FLAGS.captured_after_decline',
    after: 'return 0',
  },
  28: {
    path: LIFECYCLE + 'change.ts',
    before: 'refunded > captured',
    after: 'refunded >= captured',
  },
  29: {
    path: LIFECYCLE + 'refund.ts',
    before: 'set: unlinkedBy(transaction, named),',
    after: 'set: 0,',
  },
  30: {
    path: LINE + 'project-approval.ts',
    before: 'const cents = isCredit(message) ? 0 : approvedCents',
    after: 'const cents = approvedCents',
  },
  31: {
    path: 'engine/authorize.ts',
    before: 'if (isNotification(message.record.kind)) return recordNotificationEntry',
    after: "if (message.record.kind === 'advice') return recordNotificationEntry",
  },
  32: {
    path: RULES + 'kind-allowed.ts',
    before: 'valueOf: (judged) => controlKind(judged.message)',
    after: 'valueOf: (judged) => judged.message.kind',
  },
  36: {
    path: RULES + 'wallet-token-active.ts',
    before: "row[3] === 'active' ? null",
    after: "row[3] !== 'unknown' ? null",
  },
  37: {
    path: RULES + 'online-authenticated.ts',
    before: 'if (AUTHENTICATED.has(row[6])) return null',
    after: 'if (!FAILED.has(row[6])) return null',
  },
  39: {
    path: RULES + 'chip-not-bypassed.ts',
    before: 'row[5] === false ? null',
    after: 'row[5] !== null ? null',
  },
  44: {
    path: LINE + 'ask.ts',
    before: 'Math.max(0, deadlineAtMs - sentAtMs)',
    after: 'Math.max(0, deadlineAtMs - sentAtMs + 2000)',
  },
  45: {
    path: TENANT + 'exchange.ts',
    before: "if (statusCode > 299) return unusable('http_status', null)",
    after: "if (statusCode > 299) return unusable('malformed_json', null)",
  },
  46: {
    path: TENANT + 'reply.ts',
    before: "if (said.length === 0 || said.includes('other')) return",
    after: 'if (said.length === 0) return',
  },
  47: {
    path: LINE + 'ask.ts',
    before: 'pending.receivedAtMs + line.budgetMs',
    after: 'pending.receivedAtMs + 2 * line.budgetMs',
  },
  48: {
    path: TENANT + 'dial.ts',
    before: 'rejectUnauthorized: true,',
    after: 'rejectUnauthorized: false,',
  },
  49: {
    path: TENANT + 'dial.ts',
    before: "result.failed({ outcome: 'connection_error', hint: found.problem })",
    after: 'attempt.socket = null',
  },
  50: {
    path: 'engine/recover-state.ts',
    before: "    step(state, { type: 'entry', seq, entry: decodeEntry(bytes) })",
    after:
      "    if (seq < journal.syncedSeq) step(state, { type: 'entry', seq, entry: decodeEntry(bytes) })",
  },
  51: {
    path: TENANT + 'breaker.ts',
    before: 'CONSECUTIVE_FAILURES_MAX = 10',
    after: 'CONSECUTIVE_FAILURES_MAX = 11',
  },
  52: {
    path: 'shared/signature.ts',
    before: 'if (same) matched = true',
    after: 'matched = same',
  },
  55: {
    path: 'api/issuing/disputes/expire.ts',
    before: "outcome: 'lost', resolvedAt: tenantNow",
    after: "outcome: 'won', resolvedAt: tenantNow",
  },
  56: {
    path: 'api/issuing/clearing/verdict.ts',
    before: 'recorded.amountCents === entry.amount_cents',
    after: 'recorded.amountCents >= entry.amount_cents',
  },
  57: {
    path: 'engine/listeners/iso8583/link.ts',
    before: 'if (code === SIGN_OFF) this.#signedOn = false',
    after: 'if (code === SIGN_OFF) this.#signedOn = true',
  },
  58: {
    path: 'engine/listeners/iso8583/ids.ts',
    before: "const kind = 'iso-' + mti.slice(0, 3)",
    after: "const kind = 'iso-' + mti",
  },
  59: {
    path: 'shared/wire/iso8583/codec.ts',
    before: "if (end > reading.bytes.length) return fail(reading, number, 'is cut')",
    after: 'if (end > reading.bytes.length) return true',
  },
  60: {
    path: LINE + 'pending.ts',
    before: 'judgedSeq: line.state.seq,',
    after: 'judgedSeq: line.state.seq + 1,',
  },
}
