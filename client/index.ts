// The public exports of the package.
export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts'
export { SvcConnectionError, SvcError } from './errors.ts'
export type * from './generated.ts'
export { verifyWebhook, WebhookError, type WebhookProblem } from './verify-webhook.ts'
