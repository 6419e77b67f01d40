import { formatTimeOfDay } from '../languages/dates.ts'
import { t } from '../languages/translate.ts'
import { Form } from './form.tsx'
import { rich } from './rich-text.ts'

/** Who acts as whom, in which tenant, and until when. */
export interface SupportBanner {
  operator: string
  member: string
  tenant: string
  endsAt: Date
}

export const SUPPORT_PATH = '/support-access'
export const SUPPORT_END_PATH = '/support-access/end'

interface NoticeProps extends SupportBanner {
  /** With it the notice has a button to end support access; without, a link to the page with the button. */
  csrf?: string
}

/** Shown on every page while an operator acts as a member. */
export const SupportNotice = ({ operator, member, tenant, endsAt, csrf }: NoticeProps) => (
  <div class="support" role="status">
    <p>
      {rich('<b>Support access.</b> {operator} acts as <b>{member}</b> in <b>{tenant}</b> until <at>{time} UTC</at>.', {
        operator,
        member,
        tenant,
        time: formatTimeOfDay(endsAt),
        b: (content) => <strong>{content}</strong>,
        at: (content) => <time dateTime={endsAt.toISOString()}>{content}</time>,
      })}
    </p>
    {csrf === undefined ? (
      <a class="button" href={SUPPORT_PATH}>
        {t('End support access')}
      </a>
    ) : (
      <Form action={SUPPORT_END_PATH} csrf={csrf}>
        <button type="submit">{t('End support access')}</button>
      </Form>
    )}
  </div>
)
