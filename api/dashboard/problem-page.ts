// The page in place of one that the API refused, inside the frame.
import { type Html, html, url } from '../../shared/html.ts'
import type { Problem, Shown, Visit } from './page.ts'
import { idLink } from './parts/id.ts'
import { panelError } from './parts/panel.ts'

/** The problem with the page that mends it, where there is one. */
export function withCure(visit: Visit, problem: Problem): Problem {
  const { code } = problem
  if (code === 'kyb_not_approved')
    return { ...problem, cure: { href: visit.to('/going_live'), label: 'Apply for live' } }
  if (code === 'second_way_missing')
    return { ...problem, cure: { href: '/account', label: 'Add a way to sign in' } }
  return problem
}

/** Status, sentence and request of the refusal; a missing resource reads like an unknown page. */
export function problemPage(visit: Visit, problem: Problem): Shown {
  const { status } = problem
  if (status === 404)
    return {
      title: 'Nothing here',
      status,
      content: html`<header class="head"><h1>Nothing here</h1></header><p>${visit.environment === 'live' ? 'Live' : 'The sandbox'} of ${visit.member.tenantName} has no such resource. An id belongs to one environment.</p>${elsewhere(visit)}`,
    }
  const stored = storedId(problem)
  if (stored !== null)
    return {
      title: 'Stored, and not confirmed yet',
      status,
      content: html`<header class="head"><h1>Stored, and not confirmed yet</h1></header>${panelError({ ...problem, message: STORED })}<p>Open ${idLink(visit, stored)}, or load this page again to wait: a form acts once, however often it is sent.</p>`,
    }
  const title = isAboutRole(problem) ? 'Not for your role' : 'This did not work'
  return {
    title,
    status: status === 0 ? 200 : status,
    content: html`<header class="head"><h1>${title}</h1></header>${panelError(problem)}<p class="soft">${adviceOf(visit, problem)}</p>`,
  }
}

const STORED =
  'The change is stored. The engine that decides authorizations has not confirmed it yet.'

/** The way to the same id in the other environment: the page does not tell whether it is there. */
function elsewhere({ others }: Visit): Html[] {
  return others.map(
    ({ environment, address }) =>
      html`<p><a class="button plain" href="${url(address)}">Look for it in ${environment === 'live' ? 'live' : 'the sandbox'}</a></p>`,
  )
}

/** The resource that was changed although the call failed; null without one. */
function storedId({ code, detail }: Problem): string | null {
  const id = detail['resource_id']
  return code === 'dependency_unavailable' && typeof id === 'string' ? id : null
}

/** Other refusals with 403 are about the state of the tenant. */
function isAboutRole({ status, code }: Problem): boolean {
  return status === 403 && ROLE_CODES.has(code)
}

const ROLE_CODES: ReadonlySet<string> = new Set(['insufficient_scope', 'role_not_allowed'])

function adviceOf({ member }: Visit, problem: Problem): string {
  const { status, detail } = problem
  if (isAboutRole(problem))
    return (
      'You are ' +
      member.role +
      ' of ' +
      member.tenantName +
      '. An owner or admin can give you another role.'
    )
  if ('done' in detail) return 'What was done stays. Go back, and choose again.'
  if (status === 0) return 'Load the page again. A form acts once, however often it is sent.'
  return 'Nothing was changed by this call. Go back, or load the page again.'
}
