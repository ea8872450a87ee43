// A front door on this machine: its messages come over an upgraded connection of the control
// socket.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { BEATS_HEADER, MEMBER_PATHS } from '../member/link-paths.ts'
import type { MessageLinkOptions } from '../member/message-link.ts'

/** Hands the messages of doors to the line; an engine without doors never loads the frames. */
export function takeDoors(server: Server, line: MessageLinkOptions): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    if (request.url !== MEMBER_PATHS.messages) return void socket.destroy()
    const beats = request.headers[BEATS_HEADER] !== undefined
    void import('../member/message-link.ts').then(({ takeMessages }) => {
      if (!socket.destroyed) takeMessages({ socket, head, beats }, line)
    })
  })
}
