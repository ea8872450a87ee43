// The field of a new password, on every form that takes one.
import { type Html, html } from '../../../shared/html.ts'
import { PASSWORD_CHARACTERS_MIN } from './forms.ts'

/** The field, marked and with the sentence about the password that was refused. */
export function newPasswordField(field: {
  name: 'password' | 'new_password'
  label: 'Password' | 'New password'
  problem: { sentence: string; field?: 'password' } | null
}): Html {
  const { name, label, problem } = field
  const title = html`${label} <span>at least ${PASSWORD_CHARACTERS_MIN} characters</span>`
  if (problem?.field !== 'password')
    return html`<label>${title}
<input name="${name}" type="password" autocomplete="new-password" minlength="${PASSWORD_CHARACTERS_MIN}" maxlength="256" required></label>`
  return html`<label>${title}
<input name="${name}" type="password" autocomplete="new-password" minlength="${PASSWORD_CHARACTERS_MIN}" maxlength="256" required
aria-invalid="true" aria-describedby="${name}-problem" autofocus></label>
<p class="problem" id="${name}-problem" role="alert">${problem.sentence}</p>`
}
