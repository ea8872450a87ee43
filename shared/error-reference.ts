// Explains every error code to the integrator who gets it: the cause and the remedy. A code of the
// catalog without a row here does not compile. The text goes to the reference page; it names no
// secret and no data of one caller.

import { ACCESS_ERROR_REFERENCE } from './access-errors.ts'
import { BILLING_ERROR_REFERENCE } from './billing-errors.ts'
import type { ErrorCode } from './error-catalog.ts'

export interface ErrorExplanation {
  /** How it comes about. */
  cause: string
  /** The remedy of the caller. */
  cure: string
}

export const ERROR_REFERENCE: { readonly [Code in ErrorCode]: ErrorExplanation } = {
  parameter_missing: {
    cause: 'A field that the call needs was not sent.',
    cure: 'Send the field that param names.',
  },
  parameter_invalid: {
    cause:
      'A field has the wrong type, is out of bounds, or names something that does not fit. So does a number of 13 to 19 ' +
      'digits, in one piece or in groups, that begins like one of a card brand and passes the Luhn check: it may be the ' +
      'number of a card, which is kept nowhere.',
    cure:
      'Correct the field that param names; message says what is accepted. Write an own number that passes as the number ' +
      'of a card with a letter within it, or with an underscore between its digits.',
  },
  parameter_unknown: {
    cause: 'A field or query parameter is misspelt, or does not exist on this call.',
    cure: 'Remove it or correct its name. Nothing unknown is ever ignored.',
  },
  parameters_exclusive: {
    cause: 'Two parameters that contradict each other were sent together.',
    cure: 'Send one of them, for example starting_after or ending_before.',
  },
  invalid_cursor: {
    cause: 'The cursor is damaged, or comes from another list or another sort.',
    cure: 'Send next_cursor exactly as the list returned it, with the same sort, or begin at the first page.',
  },
  address_refused: {
    cause: 'The address has a wrong checksum, or is one at which money would be lost.',
    cure: 'Copy the address again with its checksum (EIP-55); reason says which check failed.',
  },
  assertion_invalid: {
    cause:
      'The assertion is of another passkey, page or payment, or of other terms, or is not complete.',
    cure: 'Let the holder approve on the page of this payment; reason says which check failed.',
  },
  invalid_json: {
    cause: 'The body is not one JSON value in UTF-8, or a key stands in it twice.',
    cure: 'Let a JSON library write the body.',
  },
  malformed_request: {
    cause: 'The request breaks the rules of HTTP, for example it has no Host header.',
    cure: 'Use an HTTP client as it is; look for a proxy that changes requests.',
  },
  message_stale: {
    cause: 'A network message was transmitted too long ago, or the sender’s clock is wrong.',
    cure: 'Set the clock. Answer the terminal without us: what is this old is not decided any more.',
  },
  header_duplicated: {
    cause: 'A header that may stand in a request once stands there twice.',
    cure: 'Send it once; look for a proxy that adds it.',
  },
  missing_credential: {
    cause: 'There is no Authorization header.',
    cure: 'Send "Authorization: Bearer <key>" with every call.',
  },
  invalid_credential: {
    cause:
      'The key is unknown, mistyped, or of an environment that this installation does not serve.',
    cure: 'Copy the whole key again. A key is shown once: where it is lost, make another one.',
  },
  key_revoked: {
    cause: 'The key was revoked, or its 24 hours of pending revocation are over.',
    cure: 'Use the key that replaced it.',
  },
  malformed_header: {
    cause: 'Svc-Signature is not of the form t=<unix seconds>,v1=<hex>.',
    cure: 'Build the header as described under webhooks; send it once.',
  },
  invalid_signature: {
    cause: 'The body was changed after it was signed, or signed with another secret.',
    cure: 'Sign the exact bytes that are sent, with the secret as it was shown.',
  },
  timestamp_out_of_tolerance: {
    cause: 'The time in the signature is more than 300 seconds from ours.',
    cure: 'Set the clock, and sign each attempt afresh.',
  },
  certificate_required: {
    cause: 'This port takes client certificates, and none was presented.',
    cure: 'Present the certificate that was agreed for this key.',
  },
  certificate_refused: {
    cause:
      'The client certificate has expired, is not of our authority, or belongs to another key.',
    cure: 'Present the certificate that was agreed for this key, or have it renewed.',
  },
  insufficient_scope: {
    cause: 'The credential may do less than this call needs.',
    cure: 'Use a key with the scope that required_scope names.',
  },
  ip_not_allowed: {
    cause: 'The key has address ranges it may be used from, and the call comes from elsewhere.',
    cure: 'Call from an allowed address, or have the ranges of the key changed.',
  },
  feature_not_enabled: {
    cause: 'The feature is not part of the plan.',
    cure: 'Ask your contact to enable it.',
  },
  program_not_active: {
    cause:
      'The program waits for its activation, was rejected, or is suspended; current_status says which.',
    cure: 'Read the program for the reason. Only we can activate or resume it: ask your contact.',
  },
  account_suspended: {
    cause: 'The tenant was suspended, by a regulator, the sponsor bank or us.',
    cure: 'Ask your contact. Until it is lifted nothing new is made; what exists can be read and tightened.',
  },
  kyb_not_approved: {
    cause: 'The verification of the tenant’s business is not finished, or was rejected.',
    cure: 'Finish it with your contact; the sandbox is open meanwhile.',
  },
  second_way_missing: {
    cause: 'Every owner would be locked out by the loss of one device.',
    cure: 'Have an owner add a passkey on the account page; two passkeys, or one beside password and generator, are enough.',
  },
  role_not_allowed: {
    cause:
      'The person who approved the call may not manage people, or gives a role above their own.',
    cure: 'Have an owner or admin approve it; only an owner makes another owner.',
  },
  address_not_verified: {
    cause: 'The person who approved the call signed up and has not opened the link in our mail.',
    cure: 'Open the link in the mail, or ask for another one on the account page, and call again.',
  },
  factor_required: {
    cause: 'The call changes keys, billing or all of a sandbox, and nobody approved it.',
    cure: 'Show challenge_url to an owner or admin, ask status_url until it is completed, and repeat the same call with the token as Svc-Factor.',
  },
  factor_denied: {
    cause: 'Somebody opened challenge_url and denied the call.',
    cure: 'Do not repeat it before you have spoken with them.',
  },
  resource_missing: {
    cause: 'The id does not exist, or belongs to another tenant or the other environment.',
    cure: 'Check the id, and whether the key is of the same environment.',
  },
  route_not_found: {
    cause: 'The path is misspelt, or not available to this key or in this environment.',
    cure: 'Compare the path with this reference; there is no slash at its end.',
  },
  method_not_allowed: {
    cause: 'The path exists, but not with this method.',
    cure: 'Use one of the methods in the Allow header.',
  },
  request_timeout: {
    cause: 'The request did not arrive whole within 30 seconds.',
    cure: 'Send it again; look at the connection.',
  },
  invalid_state: {
    cause: 'The resource is not in a state from which this move is possible.',
    cure: 'current_status says where it is, allowed_from from where the move is possible. Read it again.',
  },
  version_conflict: {
    cause: 'Somebody changed the resource after you read it.',
    cure: 'Read it again, apply your change to what it is now, and send the new version.',
  },
  already_exists: {
    cause: 'A resource of this kind has this external_id already, perhaps from an earlier try.',
    cure: 'resource_id names it: read it, or choose another external_id.',
  },
  last_owner: {
    cause: 'No other active owner of the tenant would be left to approve what its keys may not do.',
    cure: 'Make another owner, or enable one, and disable this one afterwards.',
  },
  cardholder_not_approved: {
    cause:
      'The verification of the person has not begun, is not finished, or failed; kyc_status says which.',
    cure: 'Wait for cardholder.kyc.completed, or ask for another verification. A rejected person gets no card.',
  },
  cardholder_frozen: {
    cause: 'The cardholder was frozen, by you or pending a review; frozen_by says by whom.',
    cure: 'Unfreeze them if you froze them; a review is lifted by those who hold it.',
  },
  amount_not_disputable: {
    cause:
      'Open and won disputes of the transaction, with this one, exceed what was captured less what was refunded.',
    cure: 'Dispute at most disputable_cents; leave amount_cents out to dispute all of it.',
  },
  too_much_evidence: {
    cause: 'A dispute holds at most 100 pieces of evidence.',
    cure: 'Put more into one piece; what is held already cannot be taken away.',
  },
  amount_not_available: {
    cause: 'Payments hold the rest, another withdrawal takes it, or it is not final on the chain.',
    cure: 'Withdraw available_cents at most; void or capture what payments hold.',
  },
  amount_not_capturable: {
    cause:
      'The amount is more than was authorized and not captured, voided or asked for yet, or 64 captures exist.',
    cure: 'Capture capturable_cents at most; a payment takes 64 captures.',
  },
  amount_not_refundable: {
    cause:
      'The amount is more than what landed on the chain and was not refunded yet, or 64 refunds exist under the approval: of a payment, or of all payments of a mandate.',
    cure: 'Refund refundable_cents at most; wait until a pending capture has landed.',
  },
  approval_expired: {
    cause: 'The chain no longer takes captures under the approval that the holder signed.',
    cure: 'Abandon the payment and begin another one, which the holder approves anew.',
  },
  ...BILLING_ERROR_REFERENCE,
  payment_account_not_active: {
    cause: 'The payment account has no passkey yet, is suspended or is closed.',
    cure: 'Have the holder open an enrolment link, or resume the account; current_status says which.',
  },
  settlement_account_not_usable: {
    cause: 'The settlement account still waits for its time, or was disabled.',
    cure: 'Wait until usable_at, or name another settlement account.',
  },
  passkey_in_use: {
    cause: 'A passkey opens one payment account in an environment.',
    cure: 'Enrol a new passkey on the page.',
  },
  clearing_file_differs: {
    cause: 'The day of a file, or the entries of one of its parts, are others than the first time.',
    cure: 'Ask the network which one counts; give a corrected file a file_id of its own.',
  },
  clearing_file_incomplete: {
    cause: 'entries of the close is not the number of entries in the parts that were given.',
    cure: 'Give the missing parts; entries_given says how many entries there are.',
  },
  too_many_endpoints: {
    cause: 'The tenant has as many webhook endpoints in this environment as it may.',
    cure: 'Delete one that is no longer used, or let one endpoint take more event types.',
  },
  template_archived: {
    cause: 'A pass was to be issued from a template that was archived. Archiving is for ever.',
    cure: 'Issue it from another template.',
  },
  too_many_images: {
    cause:
      'The tenant has as many images in this environment as it may, or images of as many bytes.',
    cure: 'Delete images that no template names; let templates share those they have in common.',
  },
  image_in_use: {
    cause: 'An image was to be deleted that a template names, or named in an earlier version.',
    cure: 'Leave it: versions of templates are kept, and so is what stands on them.',
  },
  too_many_controls: {
    cause: 'As many spending controls as can bind one subject do so already.',
    cure: 'Retire one, or put several rules into one control.',
  },
  idempotency_key_in_use: {
    cause: 'A call with this Idempotency-Key did not finish within two seconds.',
    cure: 'Repeat the call: it gets the answer of the first one as soon as there is one.',
  },
  factor_expired: {
    cause:
      'Nobody decided within fifteen minutes, or the approval is older than five minutes or was used.',
    cure: 'Repeat the call without Svc-Factor to ask again.',
  },
  length_required: {
    cause: 'The body came chunked, without a Content-Length.',
    cure: 'Send the body whole, with its length.',
  },
  payload_too_large: {
    cause: 'The body is larger than this call takes.',
    cure: 'Send less, or split it into several calls.',
  },
  unsupported_media_type: {
    cause: 'Content-Type is not application/json, or names another charset than UTF-8.',
    cure: 'Send "Content-Type: application/json".',
  },
  idempotency_key_reused: {
    cause: 'Within 24 hours this Idempotency-Key came with another method, path, query or body.',
    cure: 'Use a fresh key for each call. resource_id names what the first one made.',
  },
  headers_too_large: {
    cause: 'The headers together are larger than 16 KB.',
    cure: 'Send fewer; cookies are not needed here.',
  },
  tenant_limit: {
    cause:
      'The tenant’s bucket that X-RateLimit-Resource names is empty, over all its keys: more calls came than its limit refills, and the burst of twice the limit is used up.',
    cure: 'Wait retry_after_ms, then repeat the call. Spread calls out as X-RateLimit-Remaining falls.',
  },
  address_limit: {
    cause: 'One address made more calls with a publishable key than a visitor of a page needs.',
    cure: 'Wait retry_after_ms. Call from a server with a secret key where there is more to do.',
  },
  unauthenticated_limit: {
    cause: 'One address sent too many credentials that are missing, wrong or revoked.',
    cure: 'Send a valid key: it is served at once. Else wait retry_after_ms.',
  },
  connection_limit: {
    cause: 'The tenant has 64 connections open, and this is one more.',
    cure: 'Keep connections open and send the next call on one that is free.',
  },
  internal_error: {
    cause: 'Something that should not happen did. It is in our log under request_id.',
    cure: 'Repeat the call with the same Idempotency-Key. If it stays, tell us the request_id.',
  },
  overloaded: {
    cause: 'More was asked than can be answered in time. Nothing was decided or stored.',
    cure: 'Repeat the call after Retry-After seconds.',
  },
  not_ready: {
    cause: 'The process has started and does not have everything it needs yet.',
    cure: 'Repeat the call after Retry-After seconds.',
  },
  chain_not_configured: {
    cause: 'The installation has no chain for this environment.',
    cure: 'Ask the operator of the installation to configure one; everything else works.',
  },
  dependency_unavailable: {
    cause:
      'A part that this call depends on did not answer in time. A change may have been stored.',
    cure: 'Repeat the call after Retry-After seconds, with the same Idempotency-Key: it is done once.',
  },
  http_version_unsupported: {
    cause: 'The request line of a network message names another version than HTTP/1.1.',
    cure: 'Let the client speak HTTP/1.1.',
  },
  ...ACCESS_ERROR_REFERENCE,
}
