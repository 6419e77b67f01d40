import { Form } from './form.tsx'

/** Who acts as whom, in which tenant, and until when. */
export interface SupportBanner {
  operator: string
  member: string
  tenant: string
  endsAt: Date
}

export const SUPPORT_PATH = '/support-access'
export const SUPPORT_END_PATH = '/support-access/end'

/** The server does not know the time zone of the reader. */
const TIME = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' })

interface NoticeProps extends SupportBanner {
  /** With it the notice has a button to end support access; without, a link to the page with the button. */
  csrf?: string
}

/** Shown on every page while an operator acts as a member. */
export const SupportNotice = ({ operator, member, tenant, endsAt, csrf }: NoticeProps) => (
  <div class="support" role="status">
    <p>
      <strong>Support access.</strong> {operator} acts as <strong>{member}</strong> in <strong>{tenant}</strong> until{' '}
      <time dateTime={endsAt.toISOString()}>{TIME.format(endsAt)} UTC</time>.
    </p>
    {csrf === undefined ? (
      <a class="button" href={SUPPORT_PATH}>
        End support access
      </a>
    ) : (
      <Form action={SUPPORT_END_PATH} csrf={csrf}>
        <button type="submit">End support access</button>
      </Form>
    )}
  </div>
)
