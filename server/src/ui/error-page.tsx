import type { AppError, ErrorCode } from '../errors.ts'
import { t, translatable } from '../languages/translate.ts'
import { Layout } from './layout.tsx'
import { rich } from './rich-text.ts'
import { type SupportBanner, SupportNotice } from './support-banner.tsx'

interface Texts {
  heading: string
  /** What to do. By default the message of the error says it. */
  advice?: string
}

/** Errors whose message is written for programs, or that need more than a sentence. */
const TEXTS: Partial<Record<ErrorCode, Texts>> = {
  NOT_FOUND: {
    heading: translatable('Page not found'),
    advice: translatable('There is nothing at this address. The link may be old, or a character may be missing.'),
  },
  TENANT_SUSPENDED: {
    heading: translatable('This organization is suspended'),
    advice: translatable(
      'Nobody can use it for now. Ask its owner, or the people who run this service. Your account and your other organizations are not affected.',
    ),
  },
  FORBIDDEN: {
    heading: translatable('You have no access to this page'),
    advice: translatable(
      'It was opened from another site, or your account may not use it. Go back and try again from there.',
    ),
  },
  RATE_LIMITED: {
    heading: translatable('Too many attempts'),
    advice: translatable('To protect your account, we wait a little after many attempts. Try again in some minutes.'),
  },
  UNAVAILABLE: {
    heading: translatable('Not available right now'),
    advice: translatable('The service is being restarted, or is very busy. Try again in a moment.'),
  },
  INTERNAL_ERROR: {
    heading: translatable('Something went wrong here'),
    advice: translatable(
      'The fault is ours, and it was recorded. Try again. If it happens again, tell us the reference below.',
    ),
  },
}

const OTHERS: Texts = { heading: translatable('That did not work') }

interface ErrorPageProps {
  error: Pick<AppError, 'code' | 'message' | 'status' | 'isGeneral'>
  requestId: string
  /** The address to try again, for errors that may pass. */
  retryPath?: string | undefined
  supportBanner?: SupportBanner | undefined
}

/** What happened, what to do, a way on, and the reference under which the log has the request. */
export const ErrorPage = ({ error, requestId, retryPath, supportBanner }: ErrorPageProps) => {
  const { heading, advice } = TEXTS[error.code] ?? OTHERS
  const title = t(heading)
  const mayPass = error.status >= 500 || error.status === 429
  return (
    <Layout title={title} hasLanguages={false}>
      {supportBanner && <SupportNotice {...supportBanner} />}
      <h1>{title}</h1>
      {/* A message that was written for this case says more than the general advice. */}
      <p role="alert">{error.isGeneral && advice !== undefined ? t(advice) : error.message}</p>
      {mayPass && retryPath !== undefined && (
        <a class="button" href={retryPath}>
          {t('Try again')}
        </a>
      )}
      {!supportBanner && (
        <a class="button second" href="/account">
          {t('Go to my account')}
        </a>
      )}
      <p class="quiet after">{rich('Reference: {id}', { id: <code>{requestId}</code> })}</p>
    </Layout>
  )
}
