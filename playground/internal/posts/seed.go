package posts

// seedPosts are the rows of a new database; their ids are 1 to 10.
var seedPosts = []struct{ title, body string }{
	{"Welcome to the playground", "Ten posts to search, change and delete."},
	{"Draft about winter tyres", "Not finished. Nobody would miss it."},
	{"How the harbour got its name", "A short history of the old harbour."},
	{"Bread in four hours", "Flour, water, salt, yeast and some patience."},
	{"A walk along the river", "Eleven kilometres, mostly flat, with two bridges."},
	{"Release notes for March", "Faster search, and fewer surprises."},
	{"Why we ask before we delete", "A deleted row does not come back by wishing."},
	{"Photographs of the northern lights", "Taken on three cold nights in February."},
	{"Minutes of the annual meeting", "Present: all. Decided: to meet again."},
	{"Recipe for cinnamon buns", "Best eaten on the day they are made."},
}
