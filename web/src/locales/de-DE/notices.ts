export default {
  title: 'Mitteilungen',
  titleOf: 'Mitteilungen von {{game}}',
  loading: 'Mitteilungen werden geladen',
  filter: {
    label: 'Mitteilungen zeigen',
    all: 'Alle',
    game: 'Spiel',
    events: 'Ereignisse',
    challenge: 'Aufgaben',
  },
  before: {
    title: 'Das Spiel hat noch nicht begonnen',
    text: 'Mitteilungen beginnen mit dem Spiel: Ankündigungen der Veranstalter, neue Aufgaben, Tipps und First Bloods.',
  },
  empty: {
    title: 'Noch keine Mitteilungen',
    text: 'Ankündigungen der Veranstalter, neue Aufgaben, Tipps und First Bloods erscheinen hier automatisch.',
  },
  emptyFilter: {
    game: {
      title: 'Noch nichts von den Veranstaltern',
      text: 'Ihre Ankündigungen erscheinen hier automatisch.',
    },
    events: {
      title: 'Noch kein Blood',
      text: 'Die ersten drei Teams, die eine Aufgabe lösen, erscheinen hier.',
    },
    challenge: {
      title: 'Keine neuen Aufgaben oder Tipps',
      text: 'Sie erscheinen hier, wenn die Veranstalter während des Spiels welche hinzufügen.',
    },
  },
  showAll: 'Ältere Mitteilungen zeigen',
  more: 'Mehr anzeigen',
  today: 'Heute',
  yesterday: 'Gestern',
  type: {
    Normal: 'Ankündigung',
    FirstBlood: 'First Blood',
    SecondBlood: 'Second Blood',
    ThirdBlood: 'Third Blood',
    NewHint: 'Neuer Tipp',
    NewChallenge: 'Neue Aufgabe',
  },
  text: {
    blood: '<who>{{team}}</who> hat <what>{{challenge}}</what> gelöst',
    NewHint: 'Neuer Tipp zu <what>{{challenge}}</what>',
    NewChallenge: '<what>{{challenge}}</what> ist jetzt offen',
  },
  unread: { title: 'Ungelesene Ankündigungen', read: 'Als gelesen markieren', readAll: 'Alle als gelesen markieren' },
  fresh: 'Neu',
  failed: 'Mitteilungen konnten nicht geladen werden',
} as const
