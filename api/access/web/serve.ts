// The pages on which people sign in and look after their account. They need no script.
import type { FastifyInstance } from 'fastify'
import { registerAccount } from './account.ts'
import { registerFactorResets } from './factor-resets.ts'
import { registerGenerator } from './generator.ts'
import { registerInvitation } from './invitation.ts'
import { registerLinks } from './links.ts'
import { registerSignUp } from './open-account.ts'
import { registerPasskeys } from './passkeys.ts'
import type { PageServices } from './ports.ts'
import { peoplePages } from './scope.ts'
import { registerSignIn } from './sign-in.ts'

export function registerAccessPages(server: FastifyInstance, services: PageServices): void {
  peoplePages(server, services, (pages) => {
    registerSignIn(pages, services)
    registerSignUp(pages, services)
    registerAccount(pages, services)
    registerGenerator(pages, services)
    registerPasskeys(pages, services)
    registerLinks(pages, services)
    registerInvitation(pages, services)
    registerFactorResets(pages, services)
  })
}
