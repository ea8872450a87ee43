// Error codes of billing; the catalog of all codes takes them in.

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
