import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { clientNetwork } from '../../http/request/client-address.ts'
import { UNKNOWN_LOCATION } from '../../lib/geoip.ts'
import { toTimeText } from '../../mail/texts/dates.ts'
import { toDeviceText } from '../../mail/texts/device.ts'
import type { BrowserSession } from '../../sessions/browser-session.ts'
import { Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { ScopeList } from '../step-pages.tsx'
import type { PendingDevice } from './store.ts'

interface CodePageProps {
  action: string
  csrf: string
  code: string
  isLinked: boolean
  problem: string | undefined
  /** Where somebody who is not signed in can sign in before they try again. */
  signIn: string | undefined
}

export const CodePage = ({ action, csrf, code, isLinked, problem, signIn }: CodePageProps) => (
  <Layout title="Connect a device">
    <h1>Connect a device</h1>
    <p class="quiet">
      {isLinked
        ? 'Compare this code with the one on your device. They must be the same.'
        : 'Type the code that your television, command line or other device shows.'}
    </p>
    <Problem message={problem} />
    {signIn !== undefined && (
      <p>
        Have you typed only a few codes? <a href={signIn}>Sign in first</a>, then type the code again.
      </p>
    )}
    {isLinked && (
      <p class="caution">
        <strong>Did somebody send you this link?</strong> Then close this page. With this code they would get into your
        account.
      </p>
    )}
    <Form action={action} csrf={csrf}>
      {isLinked && <input type="hidden" name="linked" value="yes" />}
      <p class="field">
        <label for="user_code">Code</label>
        <input
          type="text"
          class="code letters"
          id="user_code"
          name="user_code"
          value={code}
          placeholder="XXXX-XXXX"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxLength={20}
          required
          autofocus
          {...(problem !== undefined && { 'aria-invalid': true as const, 'aria-describedby': 'problem' })}
        />
      </p>
      <button type="submit">Continue</button>
    </Form>
    <p class="quiet after">Only type a code that you see on a device in front of you.</p>
  </Layout>
)

interface DeviceFact {
  label: string
  value: string
  /** A second line. */
  note?: string
}

/** What is known about the device, for comparison. */
export function toDeviceFacts(ctx: Ctx, request: FastifyRequest, device: PendingDevice): DeviceFact[] {
  const location = ctx.locate(device.ip_address)
  const isSameNetwork = device.network === clientNetwork(request)
  return [
    { label: 'Device', value: toDeviceText(device.user_agent) },
    ...(location === UNKNOWN_LOCATION ? [] : [{ label: 'Place', value: location }]),
    {
      label: 'Network',
      value: device.ip_address,
      note: isSameNetwork ? 'The network that you use now' : 'Not the network that you use now',
    },
    { label: 'Asked', value: toTimeText(device.created_at) },
  ]
}

interface DecisionPageProps {
  action: string
  csrf: string
  application: string
  session: BrowserSession
  otherAccount: string
  code: string
  isLinked: boolean
  facts: DeviceFact[]
  tenant: string | undefined
  /** Undefined if no consent is needed. */
  scopes: string[] | undefined
}

export const DecisionPage = (props: DecisionPageProps) => {
  const { action, csrf, application, session, otherAccount, code, isLinked, facts, tenant, scopes } = props
  return (
    <Layout title="Allow this device">
      <h1>Allow this device?</h1>
      <p>
        <strong>{application}</strong> on a device wants to use your account {session.email}
        {tenant !== undefined && (
          <>
            {' '}
            at <strong>{tenant}</strong>
          </>
        )}
        .
      </p>
      <p class="user-code">
        <span class="quiet">Your device must show this code</span>
        <strong>{code}</strong>
      </p>
      <dl class="facts">
        {facts.map(({ label, value, note }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {value}
              {note !== undefined && <span class="hint">{note}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {scopes !== undefined && (
        <>
          <p>It will be able to:</p>
          <ScopeList scopes={scopes} />
        </>
      )}
      <p class="caution">
        <strong>Only allow what you started yourself, just now.</strong>{' '}
        {isLinked
          ? 'You came here by a link: if somebody sent it to you, refuse.'
          : 'If somebody gave you the code, refuse.'}
      </p>
      <Form action={action} csrf={csrf}>
        <p class="actions">
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
          <button type="submit" name="decision" value="refuse" class="second">
            Refuse
          </button>
        </p>
      </Form>
      <p class="links">
        <a href={otherAccount}>Use another account</a>
      </p>
    </Layout>
  )
}

export const DonePage = ({ application, allowed, email }: { application: string; allowed: boolean; email: string }) =>
  allowed ? (
    <Layout title="Your device is connected">
      <Mark path="M5 12.5l4.5 4.5L19 7.5" />
      <h1>Return to your device</h1>
      <p>
        <strong>{application}</strong> continues there in a few seconds, as {email}. You can close this page.
      </p>
      <p class="quiet after">Its access ends when you sign out in this browser.</p>
    </Layout>
  ) : (
    <Layout title="The device was refused">
      <Mark path="M7 7l10 10M17 7L7 17" isRefusal />
      <h1>The device was refused</h1>
      <p>
        <strong>{application}</strong> gets no access to your account. You can close this page.
      </p>
      <p class="quiet after">If somebody sent you the code, they tried to get into your account. Do not answer them.</p>
    </Layout>
  )

const Mark = ({ path, isRefusal = false }: { path: string; isRefusal?: boolean }) => (
  <p class={isRefusal ? 'result refused' : 'result'}>
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  </p>
)

export const EndedPage = ({ path }: { path: string }) => (
  <Layout title="This code has ended">
    <h1>This code has ended</h1>
    <p>It was used already, or is older than ten minutes. Start again on your device to get a new one.</p>
    <p class="links">
      <a href={path}>Type another code</a>
    </p>
  </Layout>
)

export const WrongAccountPage = ({ message, otherAccount }: { message: string; otherAccount: string }) => (
  <Layout title="Not with this account">
    <h1>Not with this account</h1>
    <p>{message}</p>
    <p class="links">
      <a href={otherAccount}>Use another account</a>
    </p>
  </Layout>
)
