import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import { formatTime } from '../../languages/dates.ts'
import { t } from '../../languages/translate.ts'
import { endOtherSessions, endUserSession, listUserSessions } from '../../sessions/overview.ts'
import { Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { AccountFrame, type AccountPageInput, defineAccountPage } from './define-account-page.tsx'

const PATH = '/account/sessions'

export const sessionsPages = defineAccountPage({
  path: PATH,
  show,
  submit: async (ctx, input) => {
    const { caller, request, form } = input
    const session = form.get('session')
    if (session === undefined) await endOtherSessions(ctx, { ...caller, request })
    else await endUserSession(ctx, { ...caller, request }, session)
    return { redirect: PATH }
  },
})

async function show(ctx: Ctx, input: AccountPageInput, problem?: PageProblem) {
  const sessions = await listUserSessions(ctx, input.caller)
  const devices = sessions.map((session) => ({
    id: session.id,
    name: session.user_agent || t('Unknown program'),
    location: [session.ip_address, ctx.locate(session.ip_address)].filter((part) => part !== 'Unknown').join(', '),
    lastActive: formatTime(session.last_active_at),
    isCurrent: session.id === input.caller.sessionId,
  }))
  const page = { devices, endsSupport: ctx.config.supportAccess, csrf: input.csrf, problem }
  return { html: render(<SessionsPage {...page} />) }
}

interface Device {
  id: string
  name: string
  location: string
  lastActive: string
  isCurrent: boolean
}

interface SessionsPageProps {
  devices: Device[]
  /** Operators may act as members, so there may be sessions that the list does not show. */
  endsSupport: boolean
  csrf: string
  problem: PageProblem | undefined
}

const SessionsPage = ({ devices, endsSupport, csrf, problem }: SessionsPageProps) => (
  <AccountFrame
    title={t('Sessions')}
    lead={t('Where you are signed in. If you do not recognize a session, end it and change your password.')}
    consolePage="/sessions"
    problem={problem}
  >
    <ul class="rows">
      {devices.map(({ id, name, location, lastActive, isCurrent }) => (
        <li key={id}>
          <div>
            <span class="subject">{isCurrent ? t('This device') : name}</span>
            <span class="hint">{t('{location}, last active {time}', { location, time: lastActive })}</span>
          </div>
          {!isCurrent && (
            <Form action={PATH} csrf={csrf}>
              <button type="submit" name="session" value={id} class="second">
                {t('End')}
              </button>
            </Form>
          )}
        </li>
      ))}
    </ul>
    {/* Also ends support access, which the list does not show. */}
    {(devices.length > 1 || endsSupport) && (
      <Form action={PATH} csrf={csrf}>
        <button type="submit" class="second">
          {t('End all others')}
        </button>
      </Form>
    )}
  </AccountFrame>
)
