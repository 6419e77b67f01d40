import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/page-problem.ts'
import { endOtherSessions, endSessionOf, listSessionsOf } from '../../sessions/overview.ts'
import { Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { AccountFrame, accountPage, type Visit } from './account-page.tsx'

const PATH = '/account/sessions'

export const sessionsPages = accountPage({
  path: PATH,
  show,
  act: async (ctx, visit) => {
    const { caller, request, form } = visit
    const session = form.get('session')
    if (session === undefined) await endOtherSessions(ctx, { ...caller, request })
    else await endSessionOf(ctx, { ...caller, request }, session)
    return { redirect: PATH }
  },
})

async function show(ctx: Ctx, visit: Visit, problem?: PageProblem) {
  const sessions = await listSessionsOf(ctx, visit.caller)
  const devices = sessions.map((session) => ({
    id: session.id,
    name: session.user_agent || 'Unknown program',
    place: [session.ip_address, ctx.placeOf(session.ip_address)]
      .filter((part) => part !== 'Unknown')
      .join(', '),
    active: session.last_active_at.toISOString().slice(0, 16).replace('T', ' '),
    isCurrent: session.id === visit.caller.sessionId,
  }))
  return { html: render(<SessionsPage devices={devices} csrf={visit.csrf} problem={problem} />) }
}

interface Device {
  id: string
  name: string
  place: string
  active: string
  isCurrent: boolean
}

interface SessionsPageProps {
  devices: Device[]
  csrf: string
  problem: PageProblem | undefined
}

const SessionsPage = ({ devices, csrf, problem }: SessionsPageProps) => (
  <AccountFrame title="Where you are signed in" problem={problem}>
    <ul class="rows">
      {devices.map(({ id, name, place, active, isCurrent }) => (
        <li key={id}>
          <div>
            <span class="subject">{isCurrent ? 'This device' : name}</span>
            <span class="hint">
              {place}, last active {active} UTC
            </span>
          </div>
          {!isCurrent && (
            <Form action={PATH} csrf={csrf}>
              <button type="submit" name="session" value={id} class="second">
                Sign out
              </button>
            </Form>
          )}
        </li>
      ))}
    </ul>
    {devices.length > 1 && (
      <Form action={PATH} csrf={csrf}>
        <button type="submit" class="second">
          Sign out everywhere else
        </button>
      </Form>
    )}
  </AccountFrame>
)
