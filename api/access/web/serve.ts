// The pages on which people sign in and look after their account. They need no script.
import type { FastifyInstance } from 'fastify'
import { leadToOwnHost } from '../../http/pages/own-host.ts'
import { sendPage } from '../../http/pages/page.ts'
import { isSameOrigin } from '../../http/pages/same-origin.ts'
import { answerErrors, readForms } from '../../http/pages/scope.ts'
import { registerAccount } from './account.ts'
import { registerGenerator } from './generator.ts'
import { registerInvitation } from './invitation.ts'
import { registerLinks } from './links.ts'
import { registerPasskeys } from './passkeys.ts'
import { registerPeople } from './people.ts'
import type { PageServices } from './ports.ts'
import { registerSignIn } from './sign-in.ts'
import { endingPage } from './sign-in-view.ts'

const FORM_BYTES_MAX = 16 * 1024

/** A separate scope of the server: only pages read forms, and answer errors as pages. */
export function registerAccessPages(server: FastifyInstance, services: PageServices): void {
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
    registerSignIn(pages, services)
    registerAccount(pages, services)
    registerGenerator(pages, services)
    registerPasskeys(pages, services)
    registerLinks(pages, services)
    registerInvitation(pages, services)
    registerPeople(pages, services)
  })
}

function endOf(status: number): 'busy' | 'unreadable' | 'away' | 'broken' {
  if (status === 429) return 'busy'
  if (status < 500) return 'unreadable'
  return status === 503 ? 'away' : 'broken'
}
