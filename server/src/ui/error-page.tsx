import type { AppError, ErrorCode } from '../errors.ts'
import { Layout } from './layout.tsx'
import { type SupportBanner, SupportNotice } from './support-banner.tsx'

interface Texts {
  heading: string
  /** What to do. By default the message of the error says it. */
  advice?: string
}

/** Errors whose message is written for programs, or that need more than a sentence. */
const TEXTS: Partial<Record<ErrorCode, Texts>> = {
  NOT_FOUND: {
    heading: 'Page not found',
    advice: 'There is nothing at this address. The link may be old, or a character may be missing.',
  },
  TENANT_SUSPENDED: {
    heading: 'This organization is suspended',
    advice:
      'Nobody can use it for now. Ask its owner, or the people who run this service. Your account and your other organizations are not affected.',
  },
  FORBIDDEN: {
    heading: 'You have no access to this page',
    advice: 'It was opened from another site, or your account may not use it. Go back and try again from there.',
  },
  RATE_LIMITED: {
    heading: 'Too many attempts',
    advice: 'To protect your account, we wait a little after many attempts. Try again in some minutes.',
  },
  UNAVAILABLE: {
    heading: 'Not available right now',
    advice: 'The service is being restarted, or is very busy. Try again in a moment.',
  },
  INTERNAL_ERROR: {
    heading: 'Something went wrong here',
    advice: 'The fault is ours, and it was recorded. Try again. If it happens again, tell us the reference below.',
  },
}

interface ErrorPageProps {
  error: Pick<AppError, 'code' | 'message' | 'status' | 'isGeneral'>
  requestId: string
  /** The address to try again, for errors that may pass. */
  retryPath?: string | undefined
  supportBanner?: SupportBanner | undefined
}

/** What happened, what to do, a way on, and the reference under which the log has the request. */
export const ErrorPage = ({ error, requestId, retryPath, supportBanner }: ErrorPageProps) => {
  const { heading = 'That did not work', advice } = TEXTS[error.code] ?? {}
  const mayPass = error.status >= 500 || error.status === 429
  return (
    <Layout title={heading}>
      {supportBanner && <SupportNotice {...supportBanner} />}
      <h1>{heading}</h1>
      {/* A message that was written for this case says more than the general advice. */}
      <p role="alert">{error.isGeneral && advice !== undefined ? advice : error.message}</p>
      {mayPass && retryPath !== undefined && (
        <a class="button" href={retryPath}>
          Try again
        </a>
      )}
      {!supportBanner && (
        <a class="button second" href="/account">
          Go to my account
        </a>
      )}
      <p class="quiet after">
        Reference: <code>{requestId}</code>
      </p>
    </Layout>
  )
}
