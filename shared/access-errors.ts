// Error codes of credentials that end and of operators, and their explanations; the catalog and the
// reference of all codes take them in.

export const ACCESS_ERRORS = {
  key_expired: {
    status: 401,
    type: 'authentication_failed',
    message: 'This API key came to its end.',
  },
  second_operator_required: {
    status: 403,
    type: 'permission_denied',
    message:
      'A second operator has to approve this call, under the id in resource_id or on the page at challenge_url. Then make the same call again.',
  },
  token_expired: {
    status: 401,
    type: 'authentication_failed',
    message: 'This access token has expired.',
  },
  token_revoked: {
    status: 401,
    type: 'authentication_failed',
    message: 'The connection that this access token belongs to was ended.',
  },
  invalid_proof: {
    status: 401,
    type: 'authentication_failed',
    message: 'The call does not prove that it has the key of its access token.',
  },
  last_operator_person: {
    status: 409,
    type: 'conflict',
    message: 'No operator would be left with a person who has a passkey.',
  },
} as const

export const ACCESS_ERROR_REFERENCE = {
  key_expired: {
    cause: 'The key was made with an end, expires_at, and the clock of its account is past it.',
    cure: 'Use another key, or make one: an end is never moved after it came.',
  },
  second_operator_required: {
    cause:
      'The call makes a credential or resets a factor, and no other operator approved exactly this call.',
    cure: 'Have another operator approve it within 24 hours, and make the same call again.',
  },
  token_expired: {
    cause: 'Access tokens live 15 minutes, by the clock of the tenant.',
    cure: 'Refresh: POST /oauth/token with the refresh token.',
  },
  token_revoked: {
    cause:
      'The platform or the tenant ended the connection, one of its tokens was used twice, or an operator disabled the platform.',
    cure: 'Ask the person to connect the platform again.',
  },
  invalid_proof: {
    cause:
      'The token is bound to a key, and its DPoP proof is missing, used, of another call, or without a nonce of ours.',
    cure: 'Send "Authorization: DPoP <token>" with a fresh proof for this method and address, and the value of the answer\u2019s DPoP-Nonce as its nonce.',
  },
  last_operator_person: {
    cause:
      'Only one operator whose credential works has a person with a passkey, and the call would end that.',
    cure: 'Name a person of another operator first. With confirm_last_person the call goes on, and only "npm run operator -- bootstrap --lost" opens the pages of operators again.',
  },
} as const
