export default {
  title: 'お知らせ',
  titleOf: '{{game}} のお知らせ',
  loading: 'お知らせを読み込み中',
  filter: {
    label: '表示するお知らせ',
    all: 'すべて',
    game: '大会',
    events: 'イベント',
    challenge: '問題',
  },
  before: {
    title: '大会はまだ始まっていません',
    text: 'お知らせは大会とともに始まります。運営からの連絡、新しい問題、ヒント、First Blood が並びます。',
  },
  empty: {
    title: 'お知らせはまだありません',
    text: '運営からの連絡、新しい問題、ヒント、First Blood が自動で表示されます。',
  },
  emptyFilter: {
    game: {
      title: '運営からの連絡はまだありません',
      text: '連絡があると自動で表示されます。',
    },
    events: {
      title: 'Blood はまだありません',
      text: '問題を最初に解いた 3 チームがここに表示されます。',
    },
    challenge: {
      title: '新しい問題やヒントはありません',
      text: '大会中に運営が追加すると、ここに表示されます。',
    },
  },
  showAll: '以前のお知らせを表示',
  more: 'さらに表示',
  today: '今日',
  yesterday: '昨日',
  type: {
    Normal: '連絡',
    FirstBlood: 'First Blood',
    SecondBlood: 'Second Blood',
    ThirdBlood: 'Third Blood',
    NewHint: '新しいヒント',
    NewChallenge: '新しい問題',
  },
  text: {
    blood: '<who>{{team}}</who> が <what>{{challenge}}</what> を解きました',
    NewHint: '<what>{{challenge}}</what> にヒントが追加されました',
    NewChallenge: '<what>{{challenge}}</what> が公開されました',
  },
  unread: { title: '未読の連絡', read: '既読にする', readAll: 'すべて既読にする' },
  fresh: '新着',
  failed: 'お知らせを取得できませんでした',
} as const
