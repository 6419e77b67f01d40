import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { createCsrfToken, requireCsrf } from '../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../http/routing/define-route.ts'
import { t } from '../languages/translate.ts'
import { findActingSession, findOwnSession } from '../sessions/browser-session.ts'
import { clearSupportCookie, endSupportSession, openSupportSession } from '../sessions/support/session.ts'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { SUPPORT_END_PATH, SUPPORT_PATH, type SupportBanner, SupportNotice } from '../ui/support-banner.tsx'
import { OPEN_PATH } from './service.ts'

export const supportPages = [
  definePage({ method: 'GET', path: OPEN_PATH, allowsSupport: true, handler: open }),
  definePage({ method: 'GET', path: SUPPORT_PATH, allowsSupport: true, handler: show }),
  definePage({
    method: 'POST',
    path: SUPPORT_END_PATH,
    allowsSupport: true,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const session = await findActingSession(ctx, input)
      if (session?.support) await endSupportSession(ctx, session.id, input.request)
      clearSupportCookie(ctx, input)
      return { redirect: SUPPORT_PATH }
    },
  }),
]

/** The code of the link works once, and only in the browser of the operator, so a GET may use it up. */
async function open(ctx: Ctx, input: PageInput): Promise<PageResult> {
  const own = await findOwnSession(ctx, input)
  const code = input.query.get('code') ?? ''
  const isOpened = own && (await openSupportSession(ctx, input, { code, operatorSessionId: own.id }))
  if (!isOpened) {
    throw new AppError('INVALID_TOKEN', {
      message: t(
        'This link works once, in the browser in which you are signed in as the operator. Start support access again.',
      ),
    })
  }
  return { redirect: SUPPORT_PATH }
}

async function show(ctx: Ctx, input: PageInput): Promise<PageResult> {
  const session = await findActingSession(ctx, input)
  const { supportBanner } = input.request
  if (!session?.support || !supportBanner) return { html: render(<EndedPage isSignedIn={session !== undefined} />) }
  const csrf = createCsrfToken(ctx, input.request, input.reply)
  return { html: render(<SupportPage {...supportBanner} csrf={csrf} />) }
}

const SupportPage = (props: SupportBanner & { csrf: string }) => (
  <Layout title={t('Support access')}>
    <SupportNotice {...props} />
    <h1>{t('You act as {member}', { member: props.member })}</h1>
    <p>
      {t(
        'Applications that you open in this browser now sign you in as {member}, and only for {tenant}. Whatever you do is in the audit log of {tenant} under your name.',
        { member: props.member, tenant: props.tenant },
      )}
    </p>
    <p class="quiet">
      {t(
        'The account itself is out of reach: password, address, second factors, sessions and consents stay with their owner. Your own session is kept.',
      )}
    </p>
    <p class="actions">
      <a class="button" href="/console">
        {t('Open the console')}
      </a>
    </p>
  </Layout>
)

const EndedPage = ({ isSignedIn }: { isSignedIn: boolean }) => (
  <Layout title={t('Support access')}>
    <h1>{t('Support access has ended')}</h1>
    <p role="status">{isSignedIn ? t('You act as yourself again.') : t('You are not signed in.')}</p>
    <p>{isSignedIn ? <a href="/console">{t('Open the console')}</a> : <a href="/login">{t('Sign in')}</a>}</p>
  </Layout>
)
