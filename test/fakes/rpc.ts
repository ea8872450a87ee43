// An RPC in front of a real node that lags, lies or loses: the node's own answers, changed.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RpcFake {
  url: string
  /** Changes the parameters of a call before the node is asked; null closes the connection. */
  alter: (method: string, params: readonly unknown[]) => readonly unknown[] | null
  /** Changes the node's answer to a method; `undefined` passes it, 'lost' closes the connection. */
  change: (method: string, result: unknown) => unknown
  /** Runs before the node is asked; false closes the connection instead. */
  admit: (method: string) => boolean | Promise<boolean>
  close(): Promise<void>
}

export async function startRpcFake(node: string): Promise<RpcFake> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const asked = JSON.parse(Buffer.concat(parts).toString())
    const { method } = asked
    if (!(await fake.admit(method))) return void request.socket.destroy()
    const params = fake.alter(method, asked.params)
    if (params === null) return void request.socket.destroy()
    const body = JSON.stringify({ ...asked, params })
    const answer = await (await fetch(node, { method: 'POST', body, headers: JSON_TYPE })).json()
    const changed = fake.change(method, answer.result)
    if (changed === 'lost') return void request.socket.destroy()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(changed === undefined ? answer : { ...answer, result: changed }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fake: RpcFake = {
    url: 'http://127.0.0.1:' + (server.address() as AddressInfo).port,
    alter: (_method, params) => params,
    change: () => undefined,
    admit: () => true,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return fake
}

const JSON_TYPE = { 'content-type': 'application/json' }
