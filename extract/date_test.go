package extract

import (
	"testing"
	"time"
)

func TestDates(t *testing.T) {
	for _, c := range []struct{ text, want, when string }{
		// Days. Said on Wednesday, 2024-02-28.
		{"I ran today", "I ran today (2024-02-28)", "2024-02-28"},
		{"Yesterday I ran", "Yesterday (2024-02-27) I ran", "2024-02-27"},
		{"I ran yesterday morning, alone", "I ran yesterday morning (2024-02-27), alone", "2024-02-27"},
		{"yesterday's run hurt", "yesterday's (2024-02-27) run hurt", "2024-02-27"},
		{"I leave tomorrow", "I leave tomorrow (2024-02-29)", "2024-02-29"},
		{"I leave the day after tomorrow", "I leave the day after tomorrow (2024-03-01)", "2024-03-01"},
		{"It broke the day before yesterday", "It broke the day before yesterday (2024-02-26)", "2024-02-26"},
		{"I slept badly last night", "I slept badly last night (2024-02-27)", "2024-02-27"},
		{"We dance tonight", "We dance tonight (2024-02-28)", "2024-02-28"},
		{"This morning I baked", "This morning (2024-02-28) I baked", "2024-02-28"},
		{"The boiler was fixed two days ago", "The boiler was fixed two days ago (2024-02-26)", "2024-02-26"},
		{"It arrived 10 days ago", "It arrived 10 days ago (2024-02-18)", "2024-02-18"},
		{"It arrived a day ago", "It arrived a day ago (2024-02-27)", "2024-02-27"},
		{"It broke an hour ago", "It broke an hour ago (2024-02-28)", "2024-02-28"},
		{"It broke 12 hours ago", "It broke 12 hours ago (2024-02-27)", "2024-02-27"},
		{"My exam is in 3 days", "My exam is in 3 days (2024-03-02)", "2024-03-02"},
		{"It opens ten days from now", "It opens ten days from now (2024-03-09)", "2024-03-09"},
		{"Three years ago today we met", "Three years ago today (2021-02-28) we met", "2021-02-28"},
		{"The sprint ends Friday", "The sprint ends Friday (2024-03-01)", "2024-03-01"},
		{"dentist appointment thursday at 9", "dentist appointment thursday (2024-02-29) at 9", "2024-02-29"},
		{"I work Monday to Thursday", "I work Monday to Thursday", ""},
		{"My surgery got moved to thursday", "My surgery got moved to thursday (2024-02-29)", "2024-02-29"},
		{"The deadline was moved to 12 July", "The deadline was moved to 12 July (2024-07-12)", "2024-07-12"},
		{"The concert moved to the 12th", "The concert moved to the 12th (2024-03-12)", "2024-03-12"},
		{"I will pay on the 5th", "I will pay on the 5th (2024-03-05)", "2024-03-05"},
		{"He lives on the 5th floor", "He lives on the 5th floor", ""},
		{"Born on 3.5.1990 in Graz", "Born on 3.5.1990 in Graz", "1990-05-03"},
		{"It ends 2025/08/31", "It ends 2025/08/31", "2025-08-31"},
		{"My visa expires in 6 months", "My visa expires in 6 months (2024-08)", "2024-08-01"},
		{"A fortnight ago I started", "A fortnight ago (week of 2024-02-12) I started", "2024-02-12"},
		// Weeks, months, years.
		{"I moved a week ago", "I moved a week ago (week of 2024-02-19)", "2024-02-19"},
		{"I moved three weeks ago", "I moved three weeks ago (week of 2024-02-05)", "2024-02-05"},
		{"I moved a couple of weeks ago", "I moved a couple of weeks ago (week of 2024-02-12)", "2024-02-12"},
		{"I moved last week", "I moved last week (week of 2024-02-19)", "2024-02-19"},
		{"I move next week", "I move next week (week of 2024-03-04)", "2024-03-04"},
		{"I rest this week", "I rest this week (week of 2024-02-26)", "2024-02-26"},
		{"The wedding is in three weeks", "The wedding is in three weeks (week of 2024-03-18)", "2024-03-18"},
		{"We leave in two weeks' time", "We leave in two weeks' time (week of 2024-03-11)", "2024-03-11"},
		{"In 3 days we move house", "In 3 days (2024-03-02) we move house", "2024-03-02"},
		{"In two weeks, I lost 5 kg", "In two weeks, I lost 5 kg", ""},
		{"I graduate in 2 years", "I graduate in 2 years (2026)", "2026-01-01"},
		{"We will leave in two months", "We will leave in two months (2024-04)", "2024-04-01"},
		{"I quit 3 months ago", "I quit 3 months ago (2023-11)", "2023-11-01"},
		{"I quit last month", "I quit last month (2024-01)", "2024-01-01"},
		{"I start next month", "I start next month (2024-03)", "2024-03-01"},
		{"We met two years ago", "We met two years ago (2022)", "2022-01-01"},
		{"We met last year", "We met last year (2023)", "2023-01-01"},
		{"Last year's trip was long", "Last year's (2023) trip was long", "2023-01-01"},
		{"I graduate next year", "I graduate next year (2025)", "2025-01-01"},
		{"I began running a decade ago", "I began running a decade ago (2014)", "2014-01-01"},
		{"We sailed last summer", "We sailed last summer (summer 2023)", ""},
		{"We will ski next winter", "We will ski next winter", ""},
		// Weekdays and weekends.
		{"I ran last Saturday", "I ran last Saturday (2024-02-24)", "2024-02-24"},
		{"I ran last Wednesday", "I ran last Wednesday (2024-02-21)", "2024-02-21"},
		{"I ran last monday night", "I ran last monday night (2024-02-26)", "2024-02-26"},
		{"I race next Friday", "I race next Friday (2024-03-08)", "2024-03-08"},
		{"I race this Friday", "I race this Friday (2024-03-01)", "2024-03-01"},
		{"I fell this Monday", "I fell this Monday (2024-02-26)", "2024-02-26"},
		{"I fell on Friday", "I fell on Friday (2024-02-23)", "2024-02-23"},
		{"I will race on Friday", "I will race on Friday (2024-03-01)", "2024-03-01"},
		{"I have an exam on Monday", "I have an exam on Monday (2024-03-04)", "2024-03-04"},
		{"I start at Globex on Monday", "I start at Globex on Monday (2024-03-04)", "2024-03-04"},
		{"Remind me to call mum on Friday", "Remind me to call mum on Friday (2024-03-01)", "2024-03-01"},
		{"It's on Wednesday", "It's on Wednesday (2024-03-06)", "2024-03-06"},
		{"I LEAVE TOMORROW", "I LEAVE TOMORROW (2024-02-29)", "2024-02-29"},
		{"I've been ill since Monday", "I've been ill since Monday (2024-02-26)", "2024-02-26"},
		{"We camped last weekend", "We camped last weekend (weekend of 2024-02-24)", "2024-02-24"},
		{"We camp this weekend", "We camp this weekend (weekend of 2024-03-02)", "2024-03-02"},
		{"We camp next weekend", "We camp next weekend (weekend of 2024-03-09)", "2024-03-09"},
		{"We camped over the weekend", "We camped over the weekend (weekend of 2024-02-24)", "2024-02-24"},
		{"We camped two weekends ago", "We camped two weekends ago (weekend of 2024-02-17)", "2024-02-17"},
		// Dates that say it all.
		{"She was born on 7 May 2023", "She was born on 7 May 2023", "2023-05-07"},
		{"She was born on May 7th, 2023.", "She was born on May 7th, 2023.", "2023-05-07"},
		{"the 3rd of March 2021 was cold", "the 3rd of March 2021 was cold", "2021-03-03"},
		{"We met in June 2019", "We met in June 2019", "2019-06-01"},
		{"We met in 2019", "We met in 2019", "2019-01-01"},
		{"Due 2024-05-17", "Due 2024-05-17", "2024-05-17"},
		{"The wedding is on 5/5/2027", "The wedding is on 5/5/2027", "2027-05-05"},
		{"It ends 25/12/2026", "It ends 25/12/2026", "2026-12-25"},
		{"It ends 12/25/2026", "It ends 12/25/2026", "2026-12-25"},
		// Several days are on the first of them.
		{"Trip to Japan: 4-18 April 2027", "Trip to Japan: 4-18 April 2027", "2027-04-04"},
		{"I was in Peru 3-9 May 2019", "I was in Peru 3-9 May 2019", "2019-05-03"},
		{"We travel from 4 to 18 April 2027", "We travel from 4 to 18 April 2027", "2027-04-04"},
		{"My holiday is June 4-18, 2027", "My holiday is June 4-18, 2027", "2027-06-04"},
		{"I was away April 4 to 18, 2023", "I was away April 4 to 18, 2023", "2023-04-04"},
		{"12 and 13 June 2027 we marry", "12 and 13 June 2027 we marry", "2027-06-12"},
		{"I'm in Rome 28 December to 3 January 2027", "I'm in Rome 28 December to 3 January 2027", "2026-12-28"},
		{"We'll be in Oslo 28–30 June", "We'll be in Oslo 28–30 June (2024-06-28 to 2024-06-30)", "2024-06-28"},
		{"We'll sail from June 28 to July 4", "We'll sail from June 28 to July 4 (2024-06-28 to 2024-07-04)", "2024-06-28"},
		{"The race is on 12 and 13 June", "The race is on 12 and 13 June (2024-06-12 and 2024-06-13)", "2024-06-12"},
		{"On May 5 to 10 guests came", "On May 5 (2023-05-05) to 10 guests came", "2023-05-05"},
		// What was moved is on the other day.
		{"The deadline moved from 5 June to 12 June", "The deadline moved from 5 June to 12 June (2024-06-12)", "2024-06-12"},
		{"The exam was moved from 5 to 12 June", "The exam was moved from 5 to 12 June (2024-06-12)", "2024-06-12"},
		{"The trip is booked from 5 June to 12 June", "The trip is booked from 5 June to 12 June (2024-06-05 to 2024-06-12)", "2024-06-05"},
		{"Nací el 2024-05-17", "Nací el 2024-05-17", "2024-05-17"},
		// A year that is missing, if the tense tells which.
		{"I quit on March 3rd", "I quit on March 3rd (2023-03-03)", "2023-03-03"},
		{"I quit on January 3", "I quit on January 3 (2024-01-03)", "2024-01-03"},
		{"I will marry on 3 March", "I will marry on 3 March (2024-03-03)", "2024-03-03"},
		{"I'm leaving in May", "I'm leaving in May (2024-05)", "2024-05-01"},
		{"I moved here in October", "I moved here in October (2023-10)", "2023-10-01"},
		{"I moved here last October", "I moved here last October (2023-10)", "2023-10-01"},
		// The tense of the clause counts, not that of another.
		{"I've updated the calendar: dentist on Tuesday", "I've updated the calendar: dentist on Tuesday", ""},
		{"I quit and the new job starts in two weeks", "I quit and the new job starts in two weeks (week of 2024-03-11)", "2024-03-11"},
		{"I booked a flight on Friday", "I booked a flight on Friday", ""},
		// The more exact one counts.
		{"This year I ran twice, yesterday again", "This year (2024) I ran twice, yesterday (2024-02-27) again", "2024-02-27"},
		// What cannot be resolved keeps the day it was said.
		{"We met a few years ago", "We met a few years ago (before 2024-02-28)", ""},
		{"I saw him the other day", "I saw him the other day (before 2024-02-28)", ""},
		{"I saw him three or four days ago", "I saw him three or four days ago (before 2024-02-28)", ""},
		// Left alone.
		{"I may leave", "I may leave", ""},
		{"They march on", "They march on", ""},
		{"I will march in line", "I will march in line", ""},
		{"My birthday is on March 3rd", "My birthday is on March 3rd", ""},
		{"I work on Fridays", "I work on Fridays", ""},
		{"We watched The Day After Tomorrow", "We watched The Day After Tomorrow", ""},
		{"Yesterday is my favourite song", "Yesterday is my favourite song", ""},
		{"It ends 5/6/2026", "It ends 5/6/2026", ""},
		{"I always swim on Monday", "I always swim on Monday", ""},
		{"I read it in three weeks", "I read it in three weeks", ""},
		{"I can run 5 km in 20 minutes", "I can run 5 km in 20 minutes", ""},
		{"I lost 5 kg in two months", "I lost 5 kg in two months", ""},
		{"He said \"I moved yesterday\" and left", "He said \"I moved yesterday\" and left", ""},
		{"The field `last week` is new", "The field `last week` is new", ""},
		{"See https://example.com/yesterday", "See https://example.com/yesterday", ""},
		{"yesterday (27 Feb) I ran", "yesterday (27 Feb) I ran", "2024-02-27"},
		{"the last year of school was fun", "the last year of school was fun", ""},
		{"It feels like just yesterday", "It feels like just yesterday", ""},
		{"I lived there for two years", "I lived there for two years", ""},
		{"We met 2 years and 3 months ago", "We met 2 years and 3 months ago", ""},
		{"My last name is Silva", "My last name is Silva", ""},
		{"At last week one is over", "At last week one is over", ""},
		{"two days later it rained", "two days later it rained", ""},
		{"It is 99999 years ago", "It is 99999 years ago", ""},
		{"It is 9999 years ago", "It is 9999 years ago", ""},
		{"on 31 February 2023 it ended", "on 31 February 2023 it ended", "2023-02-01"},
	} {
		got, when := resolve(c.text, said, true)
		day := ""
		if t := when.instant(); t != nil {
			day = t.Format("2006-01-02")
		}
		if got != c.want || day != c.when {
			t.Errorf("%q\n gives %q %s\n want  %q %s", c.text, got, day, c.want, c.when)
		}
	}
}

func TestLastAndNextAcrossTheTurnOfTheYear(t *testing.T) {
	for _, c := range []struct {
		day  time.Time
		text string
		want string
	}{
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), "I ran last week", "I ran last week (week of 2023-12-25)"},
		{time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC), "I start next month", "I start next month (2024-02)"},
		{time.Date(2024, 3, 31, 0, 0, 0, 0, time.UTC), "I quit last month", "I quit last month (2024-02)"},
		{time.Date(2024, 12, 30, 0, 0, 0, 0, time.UTC), "I race next Friday", "I race next Friday (2025-01-10)"},
		{time.Date(2024, 3, 3, 0, 0, 0, 0, time.UTC), "I race next Monday", "I race next Monday (2024-03-04)"},
		{time.Date(2024, 3, 3, 0, 0, 0, 0, time.UTC), "We camped last weekend", "We camped last weekend (weekend of 2024-02-24)"},
		{time.Date(2024, 3, 3, 0, 0, 0, 0, time.UTC), "We camp this weekend", "We camp this weekend (weekend of 2024-03-02)"},
		{time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), "We met a year ago", "We met a year ago (2023)"},
		{time.Date(2024, 7, 10, 0, 0, 0, 0, time.UTC), "We sailed last summer", "We sailed last summer (summer 2023)"},
		{time.Date(2024, 10, 10, 0, 0, 0, 0, time.UTC), "We sailed last summer", "We sailed last summer (summer 2024)"},
		{time.Date(2024, 1, 10, 0, 0, 0, 0, time.UTC), "We skied last winter", "We skied last winter"},
		{time.Date(2024, 5, 10, 0, 0, 0, 0, time.UTC), "We skied last winter", "We skied last winter (winter 2023)"},
	} {
		if got, _ := resolve(c.text, c.day, true); got != c.want {
			t.Errorf("%s: %q, want %q", c.day.Format("2006-01-02"), got, c.want)
		}
	}
}

// A day of the year that no tense places is the nearest one; what is on a day is to come.
func TestDaysWithoutAYear(t *testing.T) {
	for text, want := range map[string]string{
		"leaving 5 may": "2024-05-05", "16 august": "2024-08-16", "dentist 3 april": "2024-04-03", "the tram broke down on feb 2": "2024-02-02",
		"flight 22 dec": "2024-12-22", "we got the keys 1st of february": "2024-02-01", "900 each, leaving 5 may": "2024-05-05",
		"conference 7-9 october in Riga": "2024-10-07", "i'll be away from 3 to 9 april": "2024-04-03",
		"I may 5 times a week": "", "I march 5 miles a day": "", "every 5 may we light a candle": "",
	} {
		got := extracted(t, nil, user(text))
		if len(got) != 1 {
			t.Errorf("%q: %s", text, quoted(texts(got)))
			continue
		}
		day := ""
		if got[0].OccurredAt != nil {
			day = got[0].OccurredAt.Format("2006-01-02")
		}
		if day != want {
			t.Errorf("%q: %s, want %s", text, day, want)
		}
	}
}

// What something was put off to, lasts until or was chosen for is to come, whatever the tense.
func TestDaysThatWereSetAreToCome(t *testing.T) {
	for text, want := range map[string]string{
		"we had to move the wedding to September 19": "2024-09-19", "They rebooked my flight to May 9": "2024-05-09", "we decided to get married on August 8": "2024-08-08",
		"I had to reschedule my exam to June 2": "2024-06-02", "We chose May 30 as our wedding date": "2024-05-30", "we settled on June 5 for the wedding": "2024-06-05",
		"it's valid until December 31": "2024-12-31", "I renewed my passport until June 1": "2024-06-01", "they gave me until April 30 to pay": "2024-04-30",
		"I found a flight on May 3": "2024-05-03", "My boss approved my vacation from July 6 to July 17": "2024-07-06", "He promised to come on April 1": "2024-04-01",
		// What has been stays so.
		"I lived in Rome until May 5": "2023-05-05", "I was in Bonn until December 31": "2023-12-31", "It was valid until December 31": "2023-12-31", "We stayed until August 8": "2023-08-08",
		"I had to move to Rome on June 5": "2023-06-05", "I chose my dress on May 30": "2023-05-30", "I found my cat on May 3": "2023-05-03", "I decided on May 5 that I'd quit": "2023-05-05",
		"My vacation was from July 6 to July 17": "2023-07-06", "I gave him the money on June 1": "2023-06-01", "We rented a house in Rome on August 31": "2023-08-31",
	} {
		got := extracted(t, nil, user(text))
		if len(got) != 1 || got[0].OccurredAt == nil || got[0].OccurredAt.Format("2006-01-02") != want {
			t.Errorf("%q: %s, want %s", text, quoted(texts(got)), want)
		}
	}
}

func TestDaysNextToTodayInOtherLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"Ayer compré un perro": "Ayer (2024-02-27) compré un perro", "Hoy en día vivo en Lima": "Hoy en día vivo en Lima", "Mi cita es mañana por la mañana": "Mi cita es mañana (2024-02-29) por la mañana",
		"Avant-hier je suis allé chez le médecin": "Avant-hier (2024-02-26) je suis allé chez le médecin", "Wir wohnen hier in Köln": "Wir wohnen hier in Köln",
		"Ich fliege morgen nach Rom": "Ich fliege morgen (2024-02-29) nach Rom", "Heute Morgen war ich beim Arzt": "Heute (2024-02-28) Morgen war ich beim Arzt", "Guten Morgen, ich bin Ana": "Guten Morgen, ich bin Ana",
		"Ontem fui ao médico com meu filho": "Ontem (2024-02-27) fui ao médico com meu filho", "昨天我买了一辆车": "昨天 (2024-02-27)我买了一辆车", "明後日、東京に行きます": "明後日 (2024-03-01)、東京に行きます", "أمس اشتريت سيارة": "أمس (2024-02-27) اشتريت سيارة",
	} {
		if got, _ := resolve(text, said, false); got != want {
			t.Errorf("%q\n gives %q\n want  %q", text, got, want)
		}
	}
}
