import { t } from './translate.ts'

/** Texts of the sessions page. */
export const ownSessions = {
  title: t('Sessions'),
  lead: t('Where you are signed in. If you do not recognize a session, end it and change your password.'),
  device: t('Device'),
  place: t('Place'),
  lastActive: t('Last active'),
  since: t('Signed in'),
  actions: t('Actions'),
  here: t('This device'),
  on: (program: string, system: string | undefined) =>
    system === undefined ? program : t('{program} on {system}', { program, system }),
  unknown: t('Unknown program'),
  end: t('End'),
  endLabel: (device: string) => t('End the session of {device}', { device }),
  endTitle: t('End this session?'),
  endText: (device: string) =>
    t('{device} is signed out immediately, also from the applications opened with it.', { device }),
  endAction: t('End session'),
  ended: t('The session has ended.'),
  endOthers: t('End all others'),
  endOthersTitle: t('End all other sessions?'),
  endOthersText: t('You stay signed in here. Every other device and program is signed out immediately.'),
  endedOthers: (count: number) =>
    t(
      '{count, plural, =1 {One other session has ended.} one {# other session has ended.} other {# other sessions have ended.}}',
      { count },
    ),
  nothing: t('No sessions'),
}
