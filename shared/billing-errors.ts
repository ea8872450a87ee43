// Error codes of billing, and their explanations; the catalog and the reference of all codes take
// them in.

export const BILLING_ERRORS = {
  trial_used: {
    status: 409,
    type: 'conflict',
    message: 'The tenant had its trial already.',
  },
  plan_limit_reached: {
    status: 403,
    type: 'permission_denied',
    message: 'The plan allows no more of these; max and plan name the bound.',
  },
  payment_method_required: {
    status: 409,
    type: 'conflict',
    message: 'A paid subscription needs a payment method: add one in the portal first.',
  },
  invoice_overdue: {
    status: 409,
    type: 'conflict',
    message: 'An invoice is overdue: pay it before an upgrade.',
  },
  billing_restricted: {
    status: 403,
    type: 'permission_denied',
    message: 'The status of the subscription does not allow this; billing_status names it.',
  },
} as const

export const BILLING_ERROR_REFERENCE = {
  trial_used: {
    cause: 'The tenant had a trial in this environment before.',
    cure: 'Subscribe, or request a quote. In the sandbox a wipe allows another trial.',
  },
  payment_method_required: {
    cause: 'A paid subscription was asked for, and the processor has no payment method of yours.',
    cure: 'Add one in the portal: `POST /v1/billing/portal_sessions`.',
  },
  invoice_overdue: {
    cause: 'A higher plan was asked for while an invoice is overdue.',
    cure: 'Pay the invoice: its hosted_url stands in `GET /v1/billing/invoices`.',
  },
  plan_limit_reached: {
    cause: 'The plan, or a trial, allows no more of these; what exists stays.',
    cure: 'Change to a plan with a larger bound, or delete what is not needed.',
  },
  billing_restricted: {
    cause: 'The trial ended, or an invoice is overdue for too long.',
    cure: 'See `GET /v1/billing/subscription`: status_reason says why.',
  },
} as const
