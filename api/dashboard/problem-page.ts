// The page in place of one that the API refused, inside the frame.
import { type Html, html, url } from '../../shared/html.ts'
import type { Problem, Shown, Visit } from './page.ts'
import { idLink } from './parts/id.ts'
import { panelError } from './parts/panel.ts'

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
      content: html`<header class="head"><h1>Stored, and not confirmed yet</h1></header>${panelError(problem)}<p>${idLink(visit, stored)} is stored. The engine that decides authorizations has not confirmed it yet. Load this page again to wait for it: a form acts once, however often it is sent.</p>`,
    }
  const title = status === 403 ? 'Not for your role' : 'This did not work'
  return {
    title,
    status: status === 0 ? 200 : status,
    content: html`<header class="head"><h1>${title}</h1></header>${panelError(problem)}<p class="soft">${adviceOf(visit, problem)}</p>`,
  }
}

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

function adviceOf({ member }: Visit, { status, detail }: Problem): string {
  if (status === 403)
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
