// Improves the pages that wait for a mailed link. They also work without it.

/** A form that only this browser may send, and that needs no decision. */
document.querySelector('form[data-continue]')?.requestSubmit()

/** In the words of the language of the page: "in 30 seconds". */
const time = new Intl.RelativeTimeFormat(document.documentElement.lang)

/** Disables a button until its time has come, and shows the seconds in its hint. */
function countDown(button) {
  const hint = button.parentElement.querySelector('[data-hint]')
  const end = Date.now() + Number(button.dataset.seconds) * 1000
  const show = () => {
    const left = Math.ceil((end - Date.now()) / 1000)
    button.disabled = left > 0
    hint.hidden = left <= 0
    hint.querySelector('[data-left]').textContent = time.format(left, 'second')
    if (left > 0) setTimeout(show, (end - Date.now()) % 1000 || 1000)
  }
  show()
}

for (const button of document.querySelectorAll('button[data-seconds]')) countDown(button)

/** The address of the page that waits. The page may also be the answer to a form with another address. */
const page = document.querySelector('[data-waiting]')?.dataset.waiting
if (page) {
  // Reloading must not send the form again.
  history.replaceState(null, '', page)
  for (const text of document.querySelectorAll('[data-by-itself]')) text.hidden = false
  poll(Date.now())
}

/** Asks more rarely over time, and not in a hidden tab. */
async function poll(since) {
  const waited = Date.now() - since
  await pause(waited < 60_000 ? 2_000 : waited < 600_000 ? 5_000 : 20_000)
  if (document.hidden) await visible()
  if (await isOver()) location.replace(page)
  else poll(since)
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function visible() {
  return new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
}

/** Whether this page shows something else now. While the service cannot be reached, it does not. */
async function isOver() {
  try {
    const response = await fetch(page, { redirect: 'manual' })
    if (response.type === 'opaqueredirect') return true
    return response.ok && !(await response.text()).includes('data-waiting')
  } catch {
    return false
  }
}
