// The settings of the sandbox's push service. Only this file of the process reads the environment.
import { join } from 'node:path'
import { readPem } from '../../shared/certificate-files.ts'
import type { Result } from '../../shared/result.ts'
import { readSettings } from '../../shared/settings.ts'

export interface PushPeerConfig {
  port: number
  /** PEM texts. */
  certificate: string
  key: string
  authority: string
}

/** Folder in which `npm start` keeps the certificates of the sandbox. */
const DIRECTORY = 'apple-wallet'

/** Returns the configuration, or a sentence per problem. */
export function readPushPeerConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<PushPeerConfig, readonly string[]> {
  const settings = readSettings(environment, ['SVC_DATA_DIR', 'SVC_APPLE_PUSH_URL'])
  if (!settings.ok) return settings
  const { SVC_DATA_DIR, SVC_APPLE_PUSH_URL } = settings.value
  const problems: string[] = []
  const read = (name: string): string =>
    readPem('SVC_DATA_DIR', join(SVC_DATA_DIR, DIRECTORY, name), problems)?.pem ?? ''
  const files = { certificate: read('push.pem'), key: read('push-key.pem') }
  const authority = read('authority.pem')
  const { hostname, port } = new URL(SVC_APPLE_PUSH_URL)
  if (hostname !== '127.0.0.1' || port === '')
    problems.push('SVC_APPLE_PUSH_URL must say a port of 127.0.0.1: it listens there')
  if (problems.length > 0) return { ok: false, error: problems }
  return { ok: true, value: { ...files, authority, port: Number(port) } }
}
