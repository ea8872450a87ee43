// A scope of the server with pages: no other scope reads forms, or answers errors as pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isInDoubt, refusalAnswer } from '../refusal.ts'

/** Lets the pages of this scope read forms of browsers, up to `bytesMax` bytes. */
export function readForms(pages: FastifyInstance, bytesMax: number): void {
  pages.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bytesMax },
    async (_request: FastifyRequest, text: string) => new URLSearchParams(text),
  )
}

/**
 * Answers errors of this scope by a page, which `send` chooses by the status. `isOpen`: whether the
 * change was made is unknown.
 */
export function answerErrors(
  pages: FastifyInstance,
  { docsUrl }: { docsUrl: string },
  send: (reply: FastifyReply, status: number, isOpen: boolean) => FastifyReply,
): void {
  pages.setErrorHandler((error, request, reply) => {
    const answer = refusalAnswer(error, { requestId: request.id, docsUrl })
    if (answer.unexpected) request.log.error({ request_id: request.id, err: error }, 'page failed')
    return send(reply.headers(answer.headers), answer.status, isInDoubt(error))
  })
}
