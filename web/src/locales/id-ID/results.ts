/** A game that is over: who won, and how. */
export default {
  title: 'Hasil',
  podium: 'Tiga tim teratas',
  none: 'Tidak ada tim yang mendapat poin.',
  own: 'Tim Anda',
  rank: 'Peringkat',
  score: 'Poin',
  solved: 'Terpecahkan',
  of: '{{part}} dari {{total}}',
  progress: 'Poin dari waktu ke waktu',
  writeup: 'Writeup Anda',
  bloods: 'First blood terbanyak',
  statistics: 'Per soal',
  all: 'Tampilkan semua {{count}}',
  unsolved: 'Belum terpecahkan',
  column: {
    challenge: 'Soal',
    points: 'Poin',
    solves: 'Penyelesaian',
    first: 'First blood',
  },
  points_other: '{{count, number}} poin',
} as const
