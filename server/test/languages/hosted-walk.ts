import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { insertUser, listMailTo } from '../account/people.ts'
import type { Application } from '../browser/application.ts'
import type { Host } from '../invitations/hosts.ts'
import { askForCodes } from '../oauth/device-steps.ts'
import { linkTo, newAddress } from '../sessions/sign-up-steps.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { authorizeUrl, PASSWORD } from '../support/world.ts'

const NEW_PASSWORD = 'a lighthouse in the fog'
const STEP_MS = 30_000

export interface HostedWalk {
  service: TestService
  application: Application
  host: Host
  context: BrowserContext
  page: Page
  /** Looks at the page that is open. */
  look: (name: string) => Promise<void>
}

/** Every hosted page, in one browser, in any language: it knows the fields and forms, but none of the texts. */
export async function walkHostedPages(walk: HostedWalk): Promise<void> {
  const email = await signUp(walk)
  await resetPassword(walk, email)
  await visitAccount(walk)
  await useSecondStep(walk, email)
  await authorize(walk)
  await connectDevice(walk)
  await acceptInvitation(walk)
  await visitErrors(walk)
}

const go = ({ service, page }: HostedWalk, path: string) => page.goto(service.url + path)
const fill = ({ page }: HostedWalk, name: string, text: string) => page.locator(`main [name="${name}"]`).fill(text)

/** Submits the first form of the page, and waits for the next page. */
async function submit({ page }: HostedWalk, button = 'main form button[type=submit]'): Promise<void> {
  const loaded = page.waitForEvent('load')
  await page.locator(button).first().click()
  await loaded
}

/** Opens a path, fills in the form and submits it. */
async function enter(walk: HostedWalk, path: string, fields: Record<string, string>): Promise<void> {
  if (path !== '') await go(walk, path)
  for (const [name, text] of Object.entries(fields)) await fill(walk, name, text)
  await submit(walk)
}

/** A new browser of somebody with the same language. */
const forget = ({ context }: HostedWalk) => context.clearCookies({ name: /^(?!.*language)/ })

async function signUp(walk: HostedWalk): Promise<string> {
  const { service, look } = walk
  const email = newAddress()
  const person = { givenName: 'Nora', familyName: 'Newcomer', email }
  await go(walk, '/login')
  await look('sign-in')
  await enter(walk, '', { email, password: 'not the password' })
  await look('sign-in-wrong')
  await go(walk, '/signup')
  await look('sign-up')
  await enter(walk, '', { ...person, password: 'password1' })
  await look('sign-up-weak')
  await enter(walk, '', { password: PASSWORD })
  await look('sign-up-waiting')
  const link = await mailed(() => linkTo(service, email))
  const cookies = await walk.context.cookies()
  await forget(walk)
  await go(walk, link)
  await look('confirm-elsewhere')
  await walk.context.addCookies(cookies)
  await go(walk, link)
  await walk.page.waitForURL('**/account')
  await go(walk, link)
  await look('confirm-again')
  await forget(walk)
  await go(walk, link)
  await look('confirm-dead-link')
  return email
}

async function resetPassword(walk: HostedWalk, email: string): Promise<void> {
  const { service, look } = walk
  await go(walk, '/forgot-password')
  await look('reset')
  await enter(walk, '', { email })
  await look('reset-mailed')
  const link = await mailed(
    async () =>
      (await listMailTo(service, email)).flatMap(({ text }) => /(\/reset-password\S+)/.exec(text)?.[1] ?? [])[0],
  )
  await go(walk, link)
  await look('reset-choose')
  await enter(walk, '', { newPassword: NEW_PASSWORD })
  await go(walk, link)
  await look('reset-dead-link')
}

async function visitAccount(walk: HostedWalk): Promise<void> {
  const { look } = walk
  for (const name of [
    '',
    '/profile',
    '/email',
    '/password',
    '/security',
    '/sessions',
    '/connections',
    '/data',
    '/delete',
  ]) {
    await go(walk, `/account${name}`)
    expect(new URL(walk.page.url()).pathname).toBe(`/account${name}`)
    await look(`account${name.replace('/', '-')}`)
  }
}

async function useSecondStep(walk: HostedWalk, email: string): Promise<void> {
  const { service, page, look } = walk
  await go(walk, '/mfa/setup')
  await look('mfa-setup')
  await submit(walk)
  await look('mfa-app')
  const secret = ((await page.locator('main code').textContent()) ?? '').replaceAll(' ', '')
  service.advance(STEP_MS)
  await enter(walk, '', { code: totpCode(secret, service.ctx.now()) })
  await look('mfa-codes')
  await forget(walk)
  await enter(walk, '/login', { email, password: NEW_PASSWORD })
  await look('mfa-challenge')
  await enter(walk, '', { code: '000000' })
  await look('mfa-challenge-wrong')
  await page.locator('main .links a').first().click()
  await page.locator('main input.code:not(.digits)').waitFor()
  await look('mfa-recovery')
  await forget(walk)
}

async function authorize(walk: HostedWalk): Promise<void> {
  const { service, application, page, look } = walk
  const start = (parameters: Record<string, string>) =>
    page.goto(authorizeUrl(service.url, { redirect_uri: application.callback, ...parameters }))
  await start({})
  await look('sign-in-application')
  await enter(walk, '', { email: 'gus@globex.test', password: PASSWORD })
  await look('choose-tenant')
  await start({ client_id: application.partnerClientId, tenant: 'globex' })
  await look('consent')
  await start({ prompt: 'select_account' })
  await look('choose-account')
  await go(walk, '/logout')
  await look('logout')
}

async function connectDevice(walk: HostedWalk): Promise<void> {
  const { service, page, look } = walk
  const { body } = await askForCodes(service.url, {}, { 'user-agent': 'AcmeTV/3.1 (Linux; Large Screen)' })
  await go(walk, '/device')
  await look('device')
  await enter(walk, '', { user_code: 'XXXX-XXXX' })
  await look('device-wrong-code')
  await page.goto(body.verification_uri_complete)
  await look('device-link')
  await submit(walk)
  if ((await page.locator('main button.choice').count()) > 0) await submit(walk, 'main button.choice')
  await look('device-decision')
  await submit(walk)
  await look('device-done')
}

async function acceptInvitation(walk: HostedWalk): Promise<void> {
  const { service, host, look } = walk
  const invited = await host.invite()
  await go(walk, invited.path)
  await look('invitation-other-account')
  await forget(walk)
  await go(walk, invited.path)
  await look('invitation')
  await enter(walk, '', { givenName: 'Greta', familyName: 'Guest', password: NEW_PASSWORD })
  await look('invitation-accepted')
  await go(walk, invited.path)
  await look('invitation-used')
  await forget(walk)
  const { email } = await insertUser(service)
  await go(walk, (await host.invite({ email })).path)
  await look('invitation-with-account')
  await go(walk, '/invitations/unknown')
  await look('invitation-unknown')
}

async function visitErrors(walk: HostedWalk): Promise<void> {
  const { service, page, look } = walk
  await go(walk, '/nothing-here')
  await look('error-not-found')
  await page.goto(authorizeUrl(service.url, { client_id: 'nobody' }))
  await look('error-authorize')
}

/** Waits for a link in a mail. */
async function mailed(find: () => Promise<string | undefined>): Promise<string> {
  let link = ''
  await expect.poll(async () => (link = (await find()) ?? '')).not.toBe('')
  return link
}
