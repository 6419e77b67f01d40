const KEY = 'latchkey.docs.language'

/** The style sheet shows the chosen language; this remembers it for the next page. */
export function rememberLanguage() {
  const choices = [...document.querySelectorAll('input[name="language"]')]
  const saved = choices.find(({ value }) => value === localStorage.getItem(KEY))
  if (saved) saved.checked = true
  for (const choice of choices) choice.addEventListener('change', () => localStorage.setItem(KEY, choice.value))
}
