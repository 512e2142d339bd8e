/** A game that is over: who won, and how. */
export default {
  title: '結果',
  podium: '上位 3 チーム',
  none: '得点したチームはありません。',
  own: '自分のチーム',
  rank: '順位',
  score: '点数',
  solved: '正解済み',
  of: '{{total}} 中 {{part}}',
  progress: '得点の推移',
  writeup: '自分の writeup',
  bloods: 'First Blood 最多',
  statistics: '問題別',
  all: '{{count}} 件をすべて表示',
  unsolved: 'まだ正解なし',
  column: {
    challenge: '問題',
    points: '点数',
    solves: '正解数',
    first: 'First Blood',
  },
  points_other: '{{count, number}} 点',
} as const
