import { t } from './translate.ts'

export const licenses = {
  title: t('Licenses'),
  lead: (tenant: string) => t('What {tenant} may use, and how many seats are left.', { tenant }),
  back: t('All licenses'),
  none: {
    title: t('No licenses yet'),
    text: (tenant: string) =>
      t('Once {tenant} has bought an application, it is listed here. Ask the provider of your applications.', {
        tenant,
      }),
    operator: t('Sell this tenant a license'),
  },
  manage: t('Manage seats'),
  look: t('See who has a license'),
  types: t('License types'),
  features: t('Features'),
  modes: { PER_SEAT: t('Per seat'), TENANT_WIDE: t('For everyone'), FREE: t('Free') },
  wide: {
    TENANT_WIDE: (tenant: string) =>
      t('One license covers everyone in {tenant}. Nobody needs a seat of their own.', { tenant }),
    FREE: (application: string) => t('{application} is free. Everyone here may use it.', { application }),
  },
  period: {
    endless: t('No end date'),
    renews: (day: string) => t('Runs until {day}', { day }),
    trial: (left: string, day: string) => t('Trial ends {left}, on {day}', { left, day }),
    canceled: (day: string) => t('Works until {day}, then ends', { day }),
    canceledEndless: t('Canceled, with no end date set'),
    pastDue: (day: string) => t('Licenses stop working on {day} unless the payment arrives.', { day }),
    pastDueEndless: t('Licenses keep working for now. Settle the payment soon.'),
    expired: t('Nobody can use these seats until the license is renewed. Then everyone gets theirs back.'),
    expiredWide: t('Nobody can use this until the license is renewed.'),
  },
  yours: {
    title: t('Your license'),
    short: (type: string) => t('You have {type}', { type }),
    shortNone: t('You have no license'),
    none: t('You have no license.'),
    ask: t('Ask an admin for one.'),
    askThem: (names: string) => t('Ask an admin for one: {names}.', { names }),
    canManage: t('You can give yourself a seat below.'),
    since: (day: string) => t('Since {day}', { day }),
    everyone: t('Like everyone here'),
  },
  seats: {
    title: t('People'),
    lead: t('Who has a license, and who does not.'),
    search: t('Search by name or email'),
    show: t('Show'),
    everyone: t('Everyone'),
    with: t('With a license'),
    without: t('Without a license'),
    withType: (type: string) => t('With {type}', { type }),
    person: t('Person'),
    license: t('License'),
    since: t('Since'),
    action: t('Action'),
    you: t('You'),
    noLicense: t('No license'),
    dash: '–',
    nobody: t('Nobody was found'),
    nobodyText: t('Try another name, or show everyone.'),
    everyoneAgain: t('Show everyone'),
    nobodyYet: t('Nobody has a license yet'),
    allServed: t('Everyone has a license'),
    give: t('Give license'),
    giveTo: (name: string) => t('Give license to {name}', { name }),
    change: t('Change'),
    changeOf: (name: string) => t('Change license of {name}', { name }),
    choose: t('License types'),
    current: t('Current'),
    takeBack: t('Take license back'),
    noneLeft: t('None left'),
    notGood: t('Expired'),
    needMore: t('Need more seats?'),
    given: (name: string, type: string) => t('{name} now has {type}.', { name, type }),
    taken: (name: string, type: string) => t('{name} no longer has {type}.', { name, type }),
  },
  bulk: {
    page: t('Select this page'),
    person: (name: string) => t('Select {name}', { name }),
    all: (count: number) => t('Select all {count, number}', { count }),
    first: (count: number) => t('Select the first {count, number}', { count }),
    selected: (count: number, left: number) =>
      t('{count, number} selected, {left, plural, one {# seat} other {# seats}} left', { count, left }),
    tooMany: (most: number) => t('Select at most {most, number} people at once', { most }),
    few: {
      title: t('Fewer seats than people'),
      text: (count: number, left: number, type: string) =>
        t(
          '{count, plural, one {# person} other {# people}} without a license are selected, and {type} has {left, plural, one {# seat} other {# seats}} left. They go to the first in the list; the others get none.',
          { count, left, type },
        ),
      action: (left: number) => t('Give {left, plural, one {# seat} other {# seats}}', { left }),
    },
    give: t('Give license'),
    take: t('Take licenses back'),
    takeBack: {
      title: (count: number) =>
        t('{count, plural, one {Take # license back?} other {Take # licenses back?}}', { count }),
      text: (count: number, hidden: number) =>
        t(
          '{count, plural, one {# person} other {# people}} can no longer use the application, and the seats are free again. {hidden, plural, one {# of them is} other {# of them are}} not on this page.',
          { count, hidden },
        ),
      action: t('Take licenses back'),
    },
    clear: t('Clear selection'),
    given: (count: number, type: string) =>
      t('{count, plural, one {# person} other {# people}} got {type}.', { count, type }),
    taken: (count: number) =>
      t('{count, plural, one {# person no longer has} other {# people no longer have}} a license.', { count }),
    undone: t('Undone.'),
    undoText: (count: number) =>
      t('The change of {count, plural, one {# person} other {# people}} can be undone.', { count }),
    title: t('Not everyone was changed'),
    lead: (done: number, failed: number) =>
      t(
        'Done for {done, plural, one {# person} other {# people}}, not for {failed, plural, one {# person} other {# people}}.',
        { done, failed },
      ),
    results: t('Results'),
    reasons: {
      DONE: (count: number) => t('Done for {count, plural, one {# person} other {# people}}', { count }),
      ALREADY_LICENSED: (count: number) =>
        t('{count, plural, one {# person} other {# people}} already had a license', { count }),
      NO_SEATS_AVAILABLE: (count: number) =>
        t('No seat was left for {count, plural, one {# person} other {# people}}', { count }),
      LICENSE_NOT_FOUND: (count: number) =>
        t('{count, plural, one {# person} other {# people}} had no license', { count }),
    } as Record<string, (count: number) => string>,
    andMore: (names: string, more: number) => t('{names} and {more, number} more', { names, more }),
  },
  shortage: {
    title: t('No seats left'),
    banner: t('All seats are taken'),
    bannerText: (application: string) => t('Nobody else can use {application} until a seat is free.', { application }),
    bannerAction: t('What can I do?'),
    taken: (type: string) => t('Somebody else has taken the last seat of {type}.', { type }),
    inactive: (type: string) => t('{type} has expired, so its seats cannot be given.', { type }),
    lead: t('What you can do now:'),
    back: {
      title: t('Take a seat back'),
      text: t('Somebody may no longer need theirs.'),
      action: t('Show who has one'),
    },
    other: {
      title: t('Give another license'),
      text: (name: string) => t('{name} can have one of these now:', { name }),
      textForNobody: t('These still have free seats:'),
      none: t('No other license has a free seat.'),
      action: (type: string, left: number) => t('{type} ({left, number} left)', { type, left }),
    },
    more: {
      title: t('Ask your provider for more'),
      text: t('Send them this sentence:'),
      sentence: (tenant: string, application: string, type: string) =>
        t('Hello, we at {tenant} have used all our {type} seats of {application} and would like to have more.', {
          tenant,
          type,
          application,
        }),
      anyType: t('license'),
      copy: t('Copy the sentence'),
      operator: t('You run this instance: add seats yourself'),
    },
  },
  usage: {
    title: t('Seats over time'),
    lead: t('How many seats you had and how many were in use, at the end of each day (UTC).'),
    range: t('Time span'),
    days: { 30: t('30 days'), 90: t('90 days'), 365: t('1 year') },
    purchased: t('Purchased'),
    assigned: t('In use'),
    day: t('Day'),
    asTable: t('Show as table'),
    asChart: t('Show as chart'),
    chart: t('Seats by day. Use the arrow keys to read each day.'),
    reading: (day: string, assigned: number, purchased: number) =>
      t('{day}: {assigned, number} of {purchased, plural, one {# seat} other {# seats}} in use', {
        day,
        assigned,
        purchased,
      }),
    changes: t('Days on which something changed, the latest first.'),
    exampleText: t(
      'This time span has too little data for a chart. From the second day with seats on, it shows how your own seats were used.',
    ),
  },
}
