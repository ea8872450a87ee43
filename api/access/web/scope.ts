// The scope of pages for people: forms, one origin, and errors as pages.
import type { FastifyInstance } from 'fastify'
import { sendPage } from '../../http/pages/page.ts'
import { isSameOrigin, leadToOwnHost } from '../../http/pages/same-origin.ts'
import { answerErrors, readForms } from '../../http/pages/scope.ts'
import type { HttpServices } from '../../http/services.ts'
import { endingPage } from './sign-in-view.ts'

const FORM_BYTES_MAX = 16 * 1024

/** A separate scope of the server: only pages read forms, and answer errors as pages. */
export function peoplePages(
  server: FastifyInstance,
  services: HttpServices,
  register: (pages: FastifyInstance) => void,
): void {
  server.register(async (pages) => {
    readForms(pages, FORM_BYTES_MAX)
    pages.addHook('onRequest', leadToOwnHost(services))
    pages.addHook('preHandler', async (request, reply) => {
      if (request.method === 'GET' || request.method === 'HEAD' || isSameOrigin(request)) return
      return sendPage(reply, endingPage('foreign'))
    })
    answerErrors(pages, services, (reply, status, isOpen) =>
      sendPage(reply, { ...endingPage(isOpen ? 'unknown' : endOf(status)), status }),
    )
    register(pages)
  })
}

function endOf(status: number): 'busy' | 'unreadable' | 'away' | 'broken' {
  if (status === 429) return 'busy'
  if (status < 500) return 'unreadable'
  return status === 503 ? 'away' : 'broken'
}
