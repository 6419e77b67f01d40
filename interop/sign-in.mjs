// A user in front of the program of a recipe, with a real browser.
import { openBrowser } from './browser.mjs'

const EMAIL = 'mia@acme.test'
const PASSWORD = 'latchkey-demo-2026'
/** Only ends what hangs. */
const TIMEOUT_MS = 30_000

/** Calls `work` with a page of a new browser. An error says what the page showed. */
export async function withPage(work) {
  const browser = await openBrowser()
  try {
    // A context of its own, in which a check can open more tabs.
    const context = await browser.newContext()
    context.setDefaultTimeout(TIMEOUT_MS)
    const page = await context.newPage()
    const notes = []
    page.on('console', (message) => message.type() === 'error' && notes.push(message.text()))
    page.on('pageerror', (error) => notes.push(error.message))
    try {
      await work(page)
    } catch (error) {
      const text = await page.innerText('body').catch(() => '')
      throw new Error([error.message, `The browser is at ${page.url()} and shows:`, text, ...notes].join('\n'))
    }
  } finally {
    await browser.close()
  }
}

export const control = (page, name) =>
  page.getByRole('link', { name, exact: true }).or(page.getByRole('button', { name, exact: true }))
const signedIn = (page) => page.getByText(`Signed in as ${EMAIL}`)
const emailField = (page) => page.getByLabel('Email address')

export async function startSignIn(page, provider) {
  await control(page, 'Sign in').click()
  if (provider !== undefined) await control(page, provider).click()
}

/** Signs in, and expects that the program knows the user, also after a reload. */
export async function signIn(page, { appUrl, provider, userUrl }) {
  await page.goto(appUrl)
  await startSignIn(page, provider)
  await emailField(page).fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await control(page, 'Sign in').click()
  await signedIn(page).waitFor()
  await page.goto(userUrl)
  await signedIn(page).waitFor()
  console.log(`ok: signed in as ${EMAIL}`)
}

/** Renews the tokens, and expects another access token. */
export async function refresh(page) {
  const token = page.locator('#access-token')
  const before = (await token.innerText()).trim()
  if (before.length < 8) throw new Error(`The program shows the access token "${before}".`)
  await control(page, 'Refresh').click()
  await page.locator('#access-token', { hasText: /\S/ }).filter({ hasNotText: before }).waitFor()
  await signedIn(page).waitFor()
  console.log('ok: the tokens were renewed')
}

/** Signs out, and expects that both the program and Latchkey forget the user. */
export async function signOut(page, { appUrl, provider, asks }) {
  await control(page, 'Sign out').click()
  if (asks) {
    await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
    await control(page, 'Sign out').click()
    await control(page, 'Back to the application').click()
  }
  await page.waitForURL((address) => address.href.startsWith(appUrl))
  await startSignIn(page, provider)
  await emailField(page).waitFor()
  console.log('ok: signed out of the program and of Latchkey')
}
