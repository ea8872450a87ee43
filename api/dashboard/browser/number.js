// Opens the frame with a card's number at once, and removes token and frame when they are over.
const part = document.querySelector('[data-number]')
const form = part?.querySelector('form')
if (form !== null && form !== undefined) {
  form.addEventListener('submit', () => setTimeout(() => form.remove(), 0))
  form.requestSubmit()
}
addEventListener('pagehide', () => part?.remove())
