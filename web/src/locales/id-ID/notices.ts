export default {
  title: 'Pengumuman',
  titleOf: 'Pengumuman {{game}}',
  loading: 'Memuat pengumuman',
  filter: {
    label: 'Tampilkan pengumuman',
    all: 'Semua',
    game: 'Permainan',
    events: 'Kejadian',
    challenge: 'Soal',
  },
  before: {
    title: 'Permainan belum dimulai',
    text: 'Pengumuman terbuka bersama permainan: kabar dari panitia, soal baru, petunjuk, dan first blood.',
  },
  empty: {
    title: 'Belum ada pengumuman',
    text: 'Kabar dari panitia, soal baru, petunjuk, dan first blood muncul di sini secara otomatis.',
  },
  emptyFilter: {
    game: {
      title: 'Belum ada apa-apa dari panitia',
      text: 'Kabar mereka muncul di sini secara otomatis.',
    },
    events: {
      title: 'Belum ada blood',
      text: 'Tiga tim pertama yang memecahkan soal muncul di sini.',
    },
    challenge: {
      title: 'Tidak ada soal atau petunjuk baru',
      text: 'Muncul di sini saat panitia menambahkannya selama permainan.',
    },
  },
  showAll: 'Tampilkan pengumuman lama',
  more: 'Tampilkan lebih banyak',
  today: 'Hari ini',
  yesterday: 'Kemarin',
  type: {
    Normal: 'Kabar',
    FirstBlood: 'First blood',
    SecondBlood: 'Second blood',
    ThirdBlood: 'Third blood',
    NewHint: 'Petunjuk baru',
    NewChallenge: 'Soal baru',
  },
  text: {
    blood: '<who>{{team}}</who> memecahkan <what>{{challenge}}</what>',
    NewHint: 'Petunjuk ditambahkan ke <what>{{challenge}}</what>',
    NewChallenge: '<what>{{challenge}}</what> kini terbuka',
  },
  unread: { title: 'Kabar yang belum dibaca', read: 'Tandai sudah dibaca', readAll: 'Tandai semua sudah dibaca' },
  fresh: 'Baru',
  failed: 'Gagal mengambil pengumuman',
} as const
