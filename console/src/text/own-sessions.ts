/** Where one is signed in. */
export const ownSessions = {
  title: 'Sessions',
  lead: 'Where you are signed in. End what you do not know, then change your password.',
  device: 'Device',
  place: 'Place',
  lastActive: 'Last active',
  since: 'Signed in',
  actions: 'Actions',
  here: 'This device',
  on: (program: string, system: string | undefined) =>
    system === undefined ? program : `${program} on ${system}`,
  unknown: 'Unknown program',
  end: 'End',
  endLabel: (device: string) => `End the session of ${device}`,
  endTitle: 'End this session?',
  endText: (device: string) => `${device} is signed out at once, also from the applications opened with it.`,
  endAction: 'End session',
  ended: 'The session has ended.',
  endOthers: 'End all others',
  endOthersTitle: 'End all other sessions?',
  endOthersText: 'You stay signed in here. Every other device and program is signed out at once.',
  endedOthers: (count: number) =>
    count === 1 ? 'One other session has ended.' : `${count} other sessions have ended.`,
  nothing: 'No sessions',
}
