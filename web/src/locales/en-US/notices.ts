/** Notices of a game. */
export default {
  title: 'Notices',
  titleOf: 'Notices of {{game}}',
  loading: 'Loading notices',
  filter: {
    label: 'Show notices',
    all: 'All',
    game: 'Announcements',
    events: 'First bloods',
    challenge: 'Challenges',
  },
  before: {
    title: 'Game not yet started',
    text: 'Notices appear once the game starts: announcements from the organizers, new challenges, hints, and first bloods.',
  },
  empty: {
    title: 'No notices yet',
    text: 'Announcements from the organizers, new challenges, hints, and first bloods appear here automatically.',
  },
  emptyFilter: {
    game: { title: 'Nothing from the organizers yet', text: 'Their announcements appear here automatically.' },
    events: { title: 'No bloods yet', text: 'The first three teams to solve a challenge appear here.' },
    challenge: { title: 'No new challenges or hints', text: 'They appear here when the organizers add them during the game.' },
  },
  showAll: 'Show older notices',
  more: 'Show more',
  today: 'Today',
  yesterday: 'Yesterday',
  type: {
    Normal: 'Announcement',
    FirstBlood: 'First blood',
    SecondBlood: 'Second blood',
    ThirdBlood: 'Third blood',
    NewHint: 'New hint',
    NewChallenge: 'New challenge',
  },
  text: {
    blood: '<who>{{team}}</who> solved <what>{{challenge}}</what>',
    NewHint: 'A hint was added to <what>{{challenge}}</what>',
    NewChallenge: '<what>{{challenge}}</what> is now open',
  },
  unread: { title: 'Unread announcements', read: 'Mark as read', readAll: 'Mark all as read' },
  fresh: 'New',
  failed: 'Failed to fetch notices',
} as const
