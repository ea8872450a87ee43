// Small comforts: copy, removal of secrets, one sending per form. Every page works without them.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const source = button.parentElement.querySelector('code')
    await navigator.clipboard.writeText(source.textContent)
    button.textContent = 'Copied'
  })
}

// A page that comes back from the browser's memory has no secret any more.
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-secret]')) {
    secret.querySelector('code').textContent = ''
    secret.hidden = true
  }
})

for (const form of document.querySelectorAll('form[method=post]:not([data-get])')) {
  form.addEventListener('submit', (event) => {
    // A preview changes nothing, and is asked again and again.
    if (event.submitter?.dataset.again !== undefined) return
    if (form.dataset.sent === 'true') event.preventDefault()
    form.dataset.sent = 'true'
  })
}
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
})

// Refused fields are marked, and the first has the focus; a pointer names one of an object.
for (const problem of document.querySelectorAll('form > .problem[data-params]')) {
  const { elements } = problem.parentElement
  const fields = problem.dataset.params
    .split(' ')
    .map((param) => elements.namedItem(param) ?? elements.namedItem(param.split('/').at(-1)))
    .filter((field) => field instanceof HTMLElement && field.type !== 'hidden')
  for (const field of fields) {
    problem.id = 'refusal'
    field.setAttribute('aria-invalid', 'true')
    field.setAttribute('aria-describedby', problem.id)
  }
  fields[0]?.focus()
}

// An open sheet closes when the reader turns to another part of the page.
document.addEventListener('click', (event) => {
  for (const sheet of document.querySelectorAll('details.switch[open], details.mobile[open]'))
    if (!sheet.contains(event.target)) sheet.open = false
})
