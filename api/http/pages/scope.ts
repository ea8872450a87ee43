// A scope of the server with pages: no other scope reads forms, or answers errors as pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isInDoubt, Refusal, refusalAnswer } from '../refusal.ts'

/** Lets the pages of this scope read forms of browsers, up to `bytesMax` bytes. */
export function readForms(pages: FastifyInstance, bytesMax: number): void {
  pages.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bytesMax },
    async (_request: FastifyRequest, text: string) => new URLSearchParams(text),
  )
}

/**
 * Lets the pages of this scope read forms with files, up to `bytesMax` bytes: a file becomes its
 * base64 under the name of its field. Refuses (400) a body that is no such form.
 */
export function readUploads(pages: FastifyInstance, bytesMax: number): void {
  pages.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: bytesMax },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      const type = headers['content-type'] ?? ''
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
        .formData()
        .catch(() => null)
      if (form === null) throw new Refusal('malformed_request')
      const fields = new URLSearchParams()
      for (const [name, value] of form)
        fields.append(name, typeof value === 'string' ? value : await base64Of(value))
      return fields
    },
  )
}

async function base64Of(file: Blob): Promise<string> {
  return Buffer.from(await file.arrayBuffer()).toString('base64')
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
