import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { clientNetwork } from '../../http/request/client-address.ts'
import { formatTime } from '../../languages/dates.ts'
import { t } from '../../languages/translate.ts'
import { UNKNOWN_LOCATION } from '../../lib/geoip.ts'
import { toDeviceText } from '../../mail/texts/device.ts'
import type { BrowserSession } from '../../sessions/browser-session.ts'
import { Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { rich } from '../../ui/rich-text.ts'
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
  <Layout title={t('Connect a device')}>
    <h1>{t('Connect a device')}</h1>
    <p class="quiet">
      {isLinked
        ? t('Compare this code with the one on your device. They must be the same.')
        : t('Type the code that your television, command line or other device shows.')}
    </p>
    <Problem message={problem} />
    {signIn !== undefined && (
      <p>
        {rich('Have you typed only a few codes? <a>Sign in first</a>, then type the code again.', {
          a: (text) => <a href={signIn}>{text}</a>,
        })}
      </p>
    )}
    {isLinked && (
      <p class="caution">
        {rich(
          '<b>Did somebody send you this link?</b> Then close this page. With this code they would get into your account.',
          { b: (text) => <strong>{text}</strong> },
        )}
      </p>
    )}
    <Form action={action} csrf={csrf}>
      {isLinked && <input type="hidden" name="linked" value="yes" />}
      <p class="field">
        <label for="user_code">{t('Code')}</label>
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
      <button type="submit">{t('Continue')}</button>
    </Form>
    <p class="quiet after">{t('Only type a code that you see on a device in front of you.')}</p>
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
    { label: t('Device'), value: toDeviceText(device.user_agent) },
    ...(location === UNKNOWN_LOCATION ? [] : [{ label: t('Place'), value: location }]),
    {
      label: t('Network'),
      value: device.ip_address,
      note: isSameNetwork ? t('The network that you use now') : t('Not the network that you use now'),
    },
    { label: t('Asked'), value: formatTime(device.created_at) },
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
    <Layout title={t('Allow this device')}>
      <h1>{t('Allow this device?')}</h1>
      <p>
        {tenant === undefined
          ? rich('<b>{application}</b> on a device wants to use your account {email}.', {
              application,
              email: session.email,
              b: (text) => <strong>{text}</strong>,
            })
          : rich('<b>{application}</b> on a device wants to use your account {email} at <b>{tenant}</b>.', {
              application,
              email: session.email,
              tenant,
              b: (text) => <strong>{text}</strong>,
            })}
      </p>
      <p class="user-code">
        <span class="quiet">{t('Your device must show this code')}</span>
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
          <p>{t('It will be able to:')}</p>
          <ScopeList scopes={scopes} />
        </>
      )}
      <p class="caution">
        {isLinked
          ? rich(
              '<b>Only allow what you started yourself, just now.</b> You came here by a link: if somebody sent it to you, refuse.',
              { b: (text) => <strong>{text}</strong> },
            )
          : rich('<b>Only allow what you started yourself, just now.</b> If somebody gave you the code, refuse.', {
              b: (text) => <strong>{text}</strong>,
            })}
      </p>
      <Form action={action} csrf={csrf}>
        <p class="actions">
          <button type="submit" name="decision" value="allow">
            {t('Allow')}
          </button>
          <button type="submit" name="decision" value="refuse" class="second">
            {t('Refuse')}
          </button>
        </p>
      </Form>
      <p class="links">
        <a href={otherAccount}>{t('Use another account')}</a>
      </p>
    </Layout>
  )
}

export const DonePage = ({ application, allowed, email }: { application: string; allowed: boolean; email: string }) =>
  allowed ? (
    <Layout title={t('Your device is connected')}>
      <Mark path="M5 12.5l4.5 4.5L19 7.5" />
      <h1>{t('Return to your device')}</h1>
      <p>
        {rich('<b>{application}</b> continues there in a few seconds, as {email}. You can close this page.', {
          application,
          email,
          b: (text) => <strong>{text}</strong>,
        })}
      </p>
      <p class="quiet after">{t('Its access ends when you sign out in this browser.')}</p>
    </Layout>
  ) : (
    <Layout title={t('The device was refused')}>
      <Mark path="M7 7l10 10M17 7L7 17" isRefusal />
      <h1>{t('The device was refused')}</h1>
      <p>
        {rich('<b>{application}</b> gets no access to your account. You can close this page.', {
          application,
          b: (text) => <strong>{text}</strong>,
        })}
      </p>
      <p class="quiet after">
        {t('If somebody sent you the code, they tried to get into your account. Do not answer them.')}
      </p>
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
  <Layout title={t('This code has ended')}>
    <h1>{t('This code has ended')}</h1>
    <p>{t('It was used already, or is older than ten minutes. Start again on your device to get a new one.')}</p>
    <p class="links">
      <a href={path}>{t('Type another code')}</a>
    </p>
  </Layout>
)

export const WrongAccountPage = ({ message, otherAccount }: { message: string; otherAccount: string }) => (
  <Layout title={t('Not with this account')}>
    <h1>{t('Not with this account')}</h1>
    <p>{t(message)}</p>
    <p class="links">
      <a href={otherAccount}>{t('Use another account')}</a>
    </p>
  </Layout>
)
