import { t } from './translate.ts'

export const supportAccess = {
  act: t('Act as this member'),
  dialog: {
    title: (name: string) => t('Act as {name}?', { name }),
    text: (name: string, tenant: string) =>
      t(
        'You can do what {name} may do in {tenant}, and nothing in their account. {name} and the owners are told by mail, and the audit log of the tenant shows everything you do under your name.',
        { name, tenant },
      ),
    reason: t('Reason'),
    reasonHint: t('10 to 500 characters. The mails and the audit log show it.'),
    minutes: t('For'),
    durations: { 15: t('15 minutes'), 30: t('30 minutes'), 60: t('One hour') },
    action: t('Start'),
  },
  banner: {
    title: t('Support access'),
    text: (operator: string, member: string, tenant: string, until: string) =>
      t('{operator} acts as {member} in {tenant} until {until}.', { operator, member, tenant, until }),
    end: t('End support access'),
  },
  setting: {
    title: t('Support access'),
    lead: t('Whether the people who run this service may act as members of this tenant, for support.'),
    allow: t('Allow support access'),
    allowText: t(
      'Each time takes a reason, lasts an hour at most, and is in your audit log. The member and the owners get a mail. Nobody can act as a member outside of this tenant or reach their account. Turning it off ends it at once.',
    ),
    allowed: t('Support access is allowed.'),
    refused: t('Support access is turned off.'),
  },
}
