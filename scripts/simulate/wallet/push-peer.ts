// How a simulated device hears from the sandbox's push service: over HTTP/2, as telephones have a
// connection of their own to Apple's.
import { type ClientHttp2Session, connect } from 'node:http2'

export interface PushLine {
  /** A token of a device that is new. */
  newToken(): Promise<string>
  /** Waits for pushes to a device, 20 seconds at most; how many came since it was asked last. */
  hear(token: string): Promise<number>
  /** It wants no more. */
  leave(token: string): Promise<void>
  close(): void
}

/** `authority` is the PEM of the authority to trust for the service's certificate. */
export function openPushLine(url: string, authority: string): PushLine {
  const session = connect(url, { ca: authority })
  session.on('error', () => {})
  return {
    newToken: async () => String((await ask(session, 'POST', '/devices'))['token']),
    hear: async (token) => Number((await ask(session, 'GET', '/devices/' + token))['pushes']),
    async leave(token) {
      await ask(session, 'DELETE', '/devices/' + token)
    },
    close: () => session.destroy(),
  }
}

function ask(
  session: ClientHttp2Session,
  method: string,
  path: string,
): Promise<{ readonly [name: string]: unknown }> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path })
    let text = ''
    stream.setEncoding('utf8')
    stream.on('data', (part: string) => {
      text += part
    })
    stream.on('error', reject)
    stream.on('close', () =>
      text === '' && method !== 'DELETE'
        ? reject(new Error('the push service hung up'))
        : resolve(text === '' ? {} : JSON.parse(text)),
    )
    stream.end()
  })
}
